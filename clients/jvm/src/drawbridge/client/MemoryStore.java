package drawbridge.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps secrets as long as the process lives. */
public final class MemoryStore implements Store {
    private final Map<String, String> kept = new ConcurrentHashMap<>();
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    @Override
    public String get(String name) {
        return kept.get(name);
    }

    @Override
    public void set(String name, String value) {
        kept.put(name, value);
    }

    @Override
    public void remove(String name) {
        kept.remove(name);
    }

    @Override
    public Lock lock(String name) {
        ReentrantLock lock = locks.computeIfAbsent(name, none -> new ReentrantLock());
        lock.lock();
        return lock::unlock;
    }

    List<String> values() {
        return new ArrayList<>(kept.values());
    }
}
