package android.os;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class Looper {
    private static final Looper MAIN = new Looper();
    final ExecutorService work = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "main looper");
        thread.setDaemon(true);
        return thread;
    });

    public static Looper getMainLooper() {
        return MAIN;
    }
}
