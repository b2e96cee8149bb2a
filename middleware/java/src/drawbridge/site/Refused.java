package drawbridge.site;

/** What must not be believed; the message is one short word for the log. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason);
    }
}
