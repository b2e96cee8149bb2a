package drawbridge.site;

import java.util.Map;
import java.util.function.LongSupplier;

/** Asks Drawbridge. After a failure nobody waits for it for two seconds, and then one at a time, until it answers. */
final class Outage implements Drawbridge {
    /** Seconds. */
    private static final long PAUSE = 2;

    private final Drawbridge drawbridge;
    private final LongSupplier now;
    /** When Drawbridge failed last; null since it answered. */
    private Long failed;
    private boolean isProbing;

    Outage(Drawbridge drawbridge, LongSupplier now) {
        this.drawbridge = drawbridge;
        this.now = now;
    }

    @Override
    public Reply get(String path, Map<String, String> headers) throws Unavailable {
        boolean isProbe = begin();
        boolean hasFailed = true;
        try {
            Reply reply = drawbridge.get(path, headers);
            hasFailed = reply.status >= 500;
            return reply;
        } finally {
            end(isProbe, hasFailed);
        }
    }

    private synchronized boolean begin() throws Unavailable {
        if (failed == null) {
            return false;
        }
        long since = now.getAsLong() - failed;
        // A clock that was set back keeps nobody away.
        if (isProbing || since >= 0 && since < PAUSE) {
            throw new Unavailable("Drawbridge did not answer just now");
        }
        isProbing = true;
        return true;
    }

    private synchronized void end(boolean isProbe, boolean hasFailed) {
        failed = hasFailed ? (Long) now.getAsLong() : null;
        if (isProbe) {
            isProbing = false;
        }
    }
}
