package drawbridge.client;

/** One of several steps that are all taken, whatever becomes of the others. */
interface Step {
    void run() throws DrawbridgeException;

    /** The first that went wrong, or null. */
    static DrawbridgeException tried(DrawbridgeException before, Step step) {
        try {
            step.run();
            return before;
        } catch (DrawbridgeException error) {
            return before == null ? error : before;
        }
    }
}
