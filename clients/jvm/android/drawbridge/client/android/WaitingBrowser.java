package drawbridge.client.android;

import android.os.Handler;
import android.os.Looper;
import drawbridge.client.Browser;
import drawbridge.client.DrawbridgeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A browser whose answer comes to the app's activity: it is opened on the main thread and waited for on the caller's. */
abstract class WaitingBrowser implements Browser {
    private static final Pattern STATE = Pattern.compile("[?&]state=([^&#]*)");

    private final long seconds;
    private String state;
    private CompletableFuture<String> answer;

    WaitingBrowser(long seconds) {
        this.seconds = seconds;
    }

    /** Shows an address; on the main thread. */
    abstract void show(String address);

    @Override
    public final String open(String address) throws DrawbridgeException {
        CompletableFuture<String> own = new CompletableFuture<>();
        synchronized (this) {
            if (answer != null) {
                // A second sign-in takes the place of the first, which nobody looks at any longer.
                answer.completeExceptionally(new DrawbridgeException("cancelled"));
            }
            answer = own;
            state = state(address);
        }
        new Handler(Looper.getMainLooper()).post(() -> {
            try {
                show(address);
            } catch (RuntimeException none) {
                // Its text may hold the address.
                own.completeExceptionally(new DrawbridgeException("configuration", "no browser can be opened"));
            }
        });
        try {
            return own.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw (DrawbridgeException) failed.getCause();
        } catch (TimeoutException late) {
            throw new DrawbridgeException("timed_out");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new DrawbridgeException("cancelled");
        } finally {
            synchronized (this) {
                if (answer == own) {
                    answer = null;
                }
            }
        }
    }

    /**
     * Gives the address that came. Any app can send an intent to ours, so one without this sign-in's state is passed over
     * and does not end it.
     *
     * @return whether it was taken
     */
    final synchronized boolean take(String address) {
        String said = address == null ? null : state(address);
        return answer != null && said != null && said.equals(state) && answer.complete(address);
    }

    /** The person closed the tab, or the browser gives nothing back. */
    final synchronized void fail(DrawbridgeException error) {
        if (answer != null) {
            answer.completeExceptionally(error);
        }
    }

    private static String state(String address) {
        Matcher found = STATE.matcher(address);
        return found.find() ? found.group(1) : null;
    }
}
