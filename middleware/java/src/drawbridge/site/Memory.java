package drawbridge.site;

import java.util.HashMap;
import java.util.Map;

/** Remembers texts until their time is over. Full, it says so: it forgets nothing early. Processes share a subclass. */
public class Memory {
    private final int limit;
    private final Map<String, Long> until = new HashMap<>();

    public Memory(int limit) {
        this.limit = limit;
    }

    /** Answers "new", "known" or "full". */
    public synchronized String add(String text, long end, long now) {
        if (has(text, now)) {
            return "known";
        }
        if (until.size() >= limit) {
            until.values().removeIf(own -> own <= now);
            if (until.size() >= limit) {
                return "full";
            }
        }
        until.put(text, end);
        return "new";
    }

    public synchronized boolean has(String text, long now) {
        return until.getOrDefault(text, now) > now;
    }

    public synchronized void forget(String text) {
        until.remove(text);
    }
}
