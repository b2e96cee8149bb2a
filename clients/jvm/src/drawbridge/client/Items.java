package drawbridge.client;

/** What the library keeps in the app's store: the items' names, and the locks around them. */
final class Items {
    private final Settings settings;
    private final Address issuer;

    Items(Settings settings, Address issuer) {
        this.settings = settings;
        this.issuer = issuer;
    }

    /** Of this app's sign-in. */
    String own() {
        return "drawbridge:" + settings.clientId + ":" + issuer.text;
    }

    /** Of what the maker's apps share. */
    String shared() {
        return "drawbridge-shared:" + settings.sharing;
    }

    /** Of the key that tokens are bound to. */
    String key() {
        return (settings.sharing == null ? own() : shared()) + ":key";
    }

    /** Of the places of the web view's cookies. */
    String cookies() {
        return own() + ":cookies";
    }

    Store.Lock lock(String name) throws DrawbridgeException {
        return AppPart.stores(() -> settings.store.lock(name));
    }

    /** The lock of renewals: they may replace the device secret, which is that of all apps of the group (contract §5.4). */
    Store.Lock renewalLock() throws DrawbridgeException {
        return lock("renew " + (settings.sharing == null ? own() : shared()));
    }

    /** Keeps renewals of the maker's apps away from work with what they share; such a lock is not to be taken in it. */
    Store.Lock sharingLock() throws DrawbridgeException {
        return settings.sharing == null ? null : renewalLock();
    }

    String read(String name) throws DrawbridgeException {
        return AppPart.stores(() -> settings.store.get(name));
    }

    void write(String name, String value) throws DrawbridgeException {
        AppPart.stores(() -> {
            settings.store.set(name, value);
            return null;
        });
    }

    void remove(String name) throws DrawbridgeException {
        AppPart.stores(() -> {
            settings.store.remove(name);
            return null;
        });
    }
}
