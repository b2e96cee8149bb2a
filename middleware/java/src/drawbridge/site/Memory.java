package drawbridge.site;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers texts until their time is over. When it has no room left, the oldest make room: one account that signs in and out
 * in a loop must not keep a website from hearing of the others. Processes share a subclass.
 */
public class Memory {
    private final int limit;
    /** The oldest first. */
    private final Map<String, Long> until = new LinkedHashMap<>();
    private long forgotten;

    public Memory(int limit) {
        this.limit = limit;
    }

    /** Answers "new", "known" or, of a store that forgets nothing early, "full". */
    public synchronized String add(String text, long end, long now) {
        if (has(text, now)) {
            return "known";
        }
        until.remove(text);
        Iterator<Long> oldest = until.values().iterator();
        while (until.size() >= limit) {
            if (!oldest.hasNext()) {
                return "full";
            }
            long own = oldest.next();
            oldest.remove();
            forgotten = own > now ? Math.max(forgotten, own) : forgotten;
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

    /** The latest time of those that made room before it was over; 0 while none has. */
    synchronized long forgotten() {
        return forgotten;
    }
}
