package drawbridge.client;

/** A part that the app has brought, as its browser or its store: whatever it throws becomes an error of this library. */
final class AppPart {
    /** What the part is asked for. */
    interface Work<T> {
        T run() throws Exception;
    }

    private AppPart() {
    }

    /** Work of the store. */
    static <T> T stores(Work<T> work) throws DrawbridgeException {
        try {
            return work.run();
        } catch (DrawbridgeException error) {
            throw error;
        } catch (Exception error) {
            // Its name alone: the text may hold what was to be kept.
            throw new DrawbridgeException("secret_store", error.getClass().getSimpleName());
        }
    }

    /** Work of a part that the app has brought; what it throws is named, and its text, which may hold secrets, is not. */
    static <T> T hosted(String what, Work<T> work) throws DrawbridgeException {
        try {
            return work.run();
        } catch (DrawbridgeException error) {
            throw error;
        } catch (Exception error) {
            throw DrawbridgeException.wrong(what + " failed: " + error.getClass().getSimpleName());
        }
    }
}
