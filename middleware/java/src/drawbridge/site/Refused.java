package drawbridge.site;

/** What must not be believed; the message is one short word for the log. One that is not final may be believed later. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    final boolean isFinal;

    Refused(String reason) {
        this(reason, true);
    }

    Refused(String reason, boolean isFinal) {
        super(reason);
        this.isFinal = isFinal;
    }
}
