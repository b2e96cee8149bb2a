package drawbridge.site;

/** Nobody can say now who this is: 503, never "signed out" and never "signed in". */
public final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    public Unavailable(String message) {
        super(message);
    }
}
