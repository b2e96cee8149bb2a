package drawbridge.client;

/** Where secrets are kept: on Android {@code KeystoreStore}, elsewhere a keyring or a file of the user's own. */
public interface Store {
    /** Null when there is none. */
    String get(String name) throws Exception;

    void set(String name, String value) throws Exception;

    void remove(String name) throws Exception;

    /** Keeps all other users of this name waiting until it is closed, those of other processes too. */
    Lock lock(String name) throws Exception;

    /** What a lock gives back. */
    interface Lock extends AutoCloseable {
        @Override
        void close();
    }
}
