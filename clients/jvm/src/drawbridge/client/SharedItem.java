package drawbridge.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the maker's apps share, in the store: in one item, so that its two parts always belong together. */
final class SharedItem {
    private final Settings settings;
    private final Items items;

    SharedItem(Settings settings, Items items) {
        this.settings = settings;
        this.items = items;
    }

    /** Null when there is none. */
    SharedSignIn read() throws DrawbridgeException {
        if (settings.sharing == null) {
            return null;
        }
        Map<String, Object> said = Values.object(items.read(items.shared()));
        if (!Values.isText(said.get("device_secret")) || !Values.isText(said.get("id_token"))) {
            return null;
        }
        SharedSignIn shared = new SharedSignIn();
        shared.deviceSecret = (String) said.get("device_secret");
        shared.idToken = (String) said.get("id_token");
        shared.parts = IdToken.of(shared.idToken);
        return shared.parts == null ? null : shared;
    }

    /** The same for whoever holds no lock: not what a renewal under way is about to replace. */
    SharedSignIn current() throws DrawbridgeException {
        try (Store.Lock held = items.sharingLock()) {
            return read();
        }
    }

    void write(String deviceSecret, String idToken) throws DrawbridgeException {
        if (settings.sharing != null) {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("device_secret", deviceSecret);
            both.put("id_token", idToken);
            items.write(items.shared(), Json.write(both));
        }
    }

    /** Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one. */
    void forget(String deadSecret, SharedSignIn before) throws DrawbridgeException {
        SharedSignIn now = read();
        if (now == null || !now.deviceSecret.equals(deadSecret)) {
            return;
        }
        if (before == null) {
            remove();
        } else {
            write(before.deviceSecret, before.idToken);
        }
    }

    void remove() throws DrawbridgeException {
        items.remove(items.shared());
    }
}
