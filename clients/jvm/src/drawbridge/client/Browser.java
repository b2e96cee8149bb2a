package drawbridge.client;

/** The person's browser: a Custom Tab or Auth Tab on Android, the system's own elsewhere. */
public interface Browser {
    /** Where the answer will come; null when it is the app's redirect URI. */
    default String prepare() throws DrawbridgeException {
        return null;
    }

    /** Opens an address and waits for the whole address that comes back to the app. Throws cancelled or timed_out. */
    String open(String address) throws DrawbridgeException;
}
