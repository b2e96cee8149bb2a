package drawbridge.client.android;

import android.content.Context;
import android.content.Intent;
import android.content.SharedPreferences;
import android.net.Uri;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.UserNotAuthenticatedException;
import android.webkit.CookieManager;
import androidx.activity.result.ActivityResultLauncher;
import androidx.browser.auth.AuthTabIntent;
import androidx.browser.customtabs.CustomTabsIntent;
import drawbridge.client.Drawbridge;
import drawbridge.client.DrawbridgeException;
import drawbridge.client.Settings;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.security.UnrecoverableKeyException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** The adapters of Android over stand-ins that do the least: status 0 when all holds. */
public final class Adapters {
    private static final String ADDRESS = "https://id.example.com/authorize?client_id=a&state=s1&nonce=n";
    private static int failures;

    private Adapters() {
    }

    private static void same(String what, Object expected, Object got) {
        if (!Objects.equals(expected, got)) {
            failures++;
            System.err.println(what + ": " + got + " in place of " + expected);
        }
    }

    public static void main(String[] arguments) throws Exception {
        customTab();
        authTab();
        webView();
        store();
        backup();
        authentication();
        lostKeys();
        System.out.println(failures + " failures");
        System.exit(failures == 0 ? 0 : 1);
    }

    private static String code(WaitingBrowser browser) {
        try {
            return browser.open(ADDRESS);
        } catch (DrawbridgeException error) {
            return error.code;
        }
    }

    private static void customTab() {
        CustomTabBrowser browser = new CustomTabBrowser(null, 20);
        List<Boolean> taken = new ArrayList<>();
        CustomTabsIntent.person = address -> {
            same("what is opened", ADDRESS, address);
            for (String answer : Arrays.asList("app:/callback?code=evil&state=other", "app:/callback?code=evil", "app:/callback?code=c&state=s1")) {
                taken.add(browser.onNewIntent(new Intent().setData(Uri.parse(answer))));
            }
            taken.add(browser.onNewIntent(new Intent()));
            browser.onReturned();
        };
        same("an app that sends intents ends no sign-in", "app:/callback?code=c&state=s1", code(browser));
        CustomTabsIntent.person = address -> browser.onReturned();
        same("whoever comes back without an answer", "cancelled", code(browser));
        CustomTabsIntent.person = address -> {
            throw new IllegalStateException(address);
        };
        same("no browser", "configuration", code(browser));
        same("a late intent", false, browser.onNewIntent(new Intent().setData(Uri.parse("app:/callback?code=c&state=s1"))));
        same("which intents are taken", Arrays.asList(false, false, true, false), taken);
        CustomTabsIntent.person = address -> { };
        same("nobody answers", "timed_out", code(new CustomTabBrowser(null, 0)));
    }

    private static void authTab() {
        AuthTabBrowser browser = new AuthTabBrowser("com.example.app", 20);
        int[] result = {AuthTabIntent.RESULT_OK};
        browser.use(new ActivityResultLauncher<Intent>() {
            @Override
            public void launch(Intent intent) {
                browser.onResult(new AuthTabIntent.AuthResult(result[0], Uri.parse("com.example.app:/callback?state=s1&code=c")));
            }
        });
        same("an Auth Tab's answer", "com.example.app:/callback?state=s1&code=c", code(browser));
        same("what an Auth Tab waits for", "com.example.app:", AuthTabIntent.awaited);
        result[0] = AuthTabIntent.RESULT_CANCELED;
        same("an Auth Tab that is closed", "cancelled", code(browser));
        appLink();
    }

    private static void appLink() {
        String answer = "https://app.example.com/callback?state=s1&code=c";
        AuthTabBrowser browser = new AuthTabBrowser("app.example.com", "/callback", 20);
        int[] result = {AuthTabIntent.RESULT_OK};
        browser.use(new ActivityResultLauncher<Intent>() {
            @Override
            public void launch(Intent intent) {
                browser.onResult(new AuthTabIntent.AuthResult(result[0], Uri.parse(answer)));
            }
        });
        same("an Auth Tab's answer by an App Link", answer, code(browser));
        same("which App Link an Auth Tab waits for", "https://app.example.com/callback", AuthTabIntent.awaited);
        for (int unverified : new int[] {AuthTabIntent.RESULT_VERIFICATION_FAILED, AuthTabIntent.RESULT_VERIFICATION_TIMED_OUT}) {
            result[0] = unverified;
            same("a host that is not this app's", "configuration", code(browser));
        }
    }

    private static void webView() throws Exception {
        AndroidWebView view = new AndroidWebView(new android.webkit.WebView());
        view.removeCookie("a", null, "/", "https://www.example.com/");
        view.removeCookie("b", "example.com", "/x", "https://www.example.com/");
        view.load("https://www.example.com/");
        // The looper does one after another.
        view.removeCookie("c", null, "/", "https://www.example.com/");
        same("cookies, and what is loaded after them", Arrays.asList(
            "https://www.example.com/ a=; Path=/; Max-Age=0; Secure",
            "https://www.example.com/ b=; Path=/x; Domain=example.com; Max-Age=0; Secure",
            "load https://www.example.com/", "https://www.example.com/ c=; Path=/; Max-Age=0; Secure"), CookieManager.SEEN);
        CookieManager.stores = false;
        try {
            view.removeCookie("d", null, "/", "https://www.example.com/");
            same("a cookie that the web view does not take", "refused", "stored");
        } catch (IllegalStateException refused) {
            same("a cookie that the web view does not take", "the web view has refused a cookie", refused.getMessage());
        } finally {
            CookieManager.stores = true;
        }
    }

    private static void store() throws Exception {
        SecretKey key = new SecretKeySpec(new byte[32], "AES");
        String kept = KeystoreStore.sealed(key, "one", "secret");
        same("what was sealed is opened", "secret", KeystoreStore.opened(key, "one", kept));
        same("nothing of it can be read", false, kept.contains("secret"));
        same("a second time it looks different", false, kept.equals(KeystoreStore.sealed(key, "one", "secret")));
        try {
            KeystoreStore.opened(key, "two", kept);
            same("what was kept under another name", "refused", "opened");
        } catch (GeneralSecurityException refused) {
            // As it should be: whoever writes the file cannot put one secret in another's place.
        }
    }

    /** What another device's key sealed, as a restored backup brings it, and what nobody did. */
    private static void backup() throws Exception {
        Map<String, String> kept = new HashMap<>();
        KeystoreStore before = new KeystoreStore(new Kept(kept), () -> new SecretKeySpec(new byte[32], "AES"));
        byte[] other = new byte[32];
        other[0] = 1;
        KeystoreStore store = new KeystoreStore(new Kept(kept), () -> new SecretKeySpec(other, "AES"));
        String item = "drawbridge:app-a:http://127.0.0.1:1";
        before.set(item, "{}");
        same("what another device's key sealed", null, store.get(item));
        same("what is left of it", false, kept.containsKey(item));
        String nobodys = Base64.getEncoder().encodeToString(new byte[] {12, 1});
        for (String damaged : Arrays.asList("", "!", nobodys, Base64.getEncoder().encodeToString(new byte[40]))) {
            kept.put("one", damaged);
            same("what is no sealed text: " + damaged, null, store.get("one"));
            same("what is left of " + damaged, false, kept.containsKey("one"));
        }
        store.set("one", "secret");
        same("what is kept from then on", "secret", store.get("one"));
        store.remove("one");
        before.set(item, "{}");
        before.set("drawbridge-shared:maker", "{}");
        Settings settings = new Settings("http://127.0.0.1:1");
        settings.clientId = "app-a";
        settings.sharing = "maker";
        settings.store = store;
        try {
            new Drawbridge(settings).signOut();
            same("a sign-out after a restored backup", "refused", "done");
        } catch (DrawbridgeException error) {
            same("a sign-out after a restored backup", "not_signed_in", error.code);
        }
        same("what it leaves", 0, kept.size());
    }

    /** A key that its owner has to open, and one that is gone with the lock of the screen. */
    private static void authentication() throws Exception {
        Map<String, String> kept = new HashMap<>();
        AskingKey key = new AskingKey();
        List<SecretKey> keys = new ArrayList<>(Arrays.asList(key, new SecretKeySpec(new byte[32], "AES")));
        KeystoreStore store = new KeystoreStore(new Kept(kept), () -> keys.remove(0));
        store.set("one", "secret");
        String sealed = kept.get("one");
        key.problem = new UserNotAuthenticatedException();
        for (boolean reads : new boolean[] {true, false}) {
            try {
                if (reads) {
                    store.get("one");
                } else {
                    store.set("one", "other");
                }
                same("a store that nobody has opened", "closed", "open");
            } catch (UserNotAuthenticatedException closed) {
                same("what is in it", sealed, kept.get("one"));
            }
        }
        key.problem = null;
        same("once its owner has opened it", "secret", store.get("one"));
        key.problem = new KeyPermanentlyInvalidatedException();
        same("under a key that is gone", null, store.get("one"));
        same("what is left under a key that is gone", false, kept.containsKey("one"));
        store.set("one", "anew");
        same("under the next key", "anew", store.get("one"));
        same("keys that are left", 0, keys.size());
    }

    /** The Keystore says with the same exception that a key is gone and, with a cause, that it cannot give it now. */
    private static void lostKeys() throws Exception {
        Security.addProvider(new StandInKeystore());
        StandInKeystore.problem = new UnrecoverableKeyException("invalidated");
        same("a key that is gone", "another is made", made(600));
        StandInKeystore.problem = new UnrecoverableKeyException("busy");
        StandInKeystore.problem.initCause(new IllegalStateException("busy"));
        same("a key that cannot be had now", "busy", made(600));
        same("a time before now", "authenticationSeconds", made(-1));
    }

    private static String made(int authenticationSeconds) throws Exception {
        try {
            new KeystoreStore(new Context() {
                @Override
                public void startActivity(Intent intent) {
                    throw new UnsupportedOperationException("nothing is to be shown");
                }

                @Override
                public SharedPreferences getSharedPreferences(String name, int mode) {
                    return new Kept(new HashMap<>());
                }
            }, "drawbridge", authenticationSeconds);
            return "the key that there is";
        } catch (UnsupportedOperationException standIn) {
            // The stand-in of the builder, which begins a new key.
            return "another is made";
        } catch (UnrecoverableKeyException | IllegalArgumentException error) {
            return error.getMessage();
        }
    }

    /** The Keystore's exceptions come out of the cipher's beginning. */
    private static final class AskingKey implements SecretKey {
        private static final long serialVersionUID = 1;
        private transient Exception problem;

        @Override
        public String getAlgorithm() {
            return "AES";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            if (problem != null) {
                AskingKey.<RuntimeException>fail(problem);
            }
            return new byte[32];
        }

        @SuppressWarnings("unchecked")
        private static <E extends Exception> void fail(Exception problem) throws E {
            throw (E) problem;
        }
    }

    private static final class Kept implements SharedPreferences {
        private final Map<String, String> kept;

        Kept(Map<String, String> kept) {
            this.kept = kept;
        }

        @Override
        public String getString(String name, String missing) {
            return kept.getOrDefault(name, missing);
        }

        @Override
        public Editor edit() {
            return new Editor() {
                @Override
                public Editor putString(String name, String value) {
                    kept.put(name, value);
                    return this;
                }

                @Override
                public Editor remove(String name) {
                    kept.remove(name);
                    return this;
                }

                @Override
                public boolean commit() {
                    return true;
                }
            };
        }
    }
}
