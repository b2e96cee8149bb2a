package drawbridge.site;

import java.util.Map;
import java.util.function.LongSupplier;

/** Asks Drawbridge. After a failure nobody waits for it for two seconds, and then one at a time, until it answers. */
final class Outage implements Drawbridge {
    /** Seconds. */
    static final long PAUSE = 2;
    /** How many answers of 500 and above in a row are an outage. One alone may be about one visitor. */
    private static final int ANSWERS = 3;

    private final Drawbridge drawbridge;
    private final LongSupplier now;
    /** When Drawbridge failed last; null while it is not away. */
    private Long failed;
    /** Answers of 500 and above in a row; no answer at all counts for as many as are an outage. */
    private int bad;
    private boolean isProbing;

    Outage(Drawbridge drawbridge, LongSupplier now) {
        this.drawbridge = drawbridge;
        this.now = now;
    }

    @Override
    public Reply get(String path, Map<String, String> headers) throws Unavailable {
        boolean isProbe = begin();
        int counts = ANSWERS;
        try {
            Reply reply = drawbridge.get(path, headers);
            counts = reply.status >= 500 ? 1 : 0;
            return reply;
        } finally {
            end(isProbe, counts);
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

    private synchronized void end(boolean isProbe, int counts) {
        bad = counts == 0 ? 0 : Math.min(bad + counts, ANSWERS);
        failed = bad == ANSWERS ? (Long) now.getAsLong() : null;
        if (isProbe) {
            isProbing = false;
        }
    }
}
