package drawbridge.site;

import java.util.function.LongSupplier;

/** The sessions of whose end Drawbridge has told. */
final class EndedSessions {
    /** Seconds: an access token lives at most a day. */
    private static final long LONGEST_TOKEN = 86400;

    private final Memory ended;
    private final LongSupplier now;

    EndedSessions(Memory ended, LongSupplier now) {
        this.ended = ended;
        this.now = now;
    }

    void refuse(String session) throws Refused {
        if (ended.has(session, now.getAsLong())) {
            throw new Refused("ended");
        }
    }

    /** The same for a token of this time: which sessions ended before what is still known, nobody can say. */
    void refuse(String session, long issuedAt, long leeway) throws Refused {
        refuse(session);
        if (issuedAt <= ended.forgotten() - LONGEST_TOKEN + leeway) {
            throw new Refused("ended");
        }
    }

    /** Whether it could be kept. */
    boolean add(String session, long time) {
        return !ended.add(session, time + LONGEST_TOKEN, time).equals("full");
    }
}
