package drawbridge.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** What an app says of itself. Set the fields, then give it to {@link Drawbridge}, which hears of no later change. */
public final class Settings {
    /** Waits; a test need not. */
    public interface Sleep {
        void sleep(long milliseconds) throws InterruptedException;
    }

    public final String issuer;
    /** Not needed for login links with another backend's bearer. */
    public String clientId;
    public String redirectUri;
    public List<String> scope = Arrays.asList("profile", "offline_access");
    /** The name under which apps of one maker share a sign-in on a device; null: they do not. */
    public String sharing;
    public Store store = new MemoryStore();
    public Browser browser;
    public WebView webView;
    /** Binds tokens to a key of the store; {@link #proofKey} takes its place when it is given. */
    public boolean dpop;
    public ProofKey proofKey;
    /** For a whole answer, in milliseconds. A renewal has six seconds at most: asked again after ten, it is a theft. */
    public int timeout = 30_000;
    /** Milliseconds since 1970. */
    public LongSupplier now = System::currentTimeMillis;
    public Sleep sleep = Thread::sleep;
    /** Gets a line for each request: method, address without query, status. */
    public Consumer<String> logger = line -> { };

    public Settings(String issuer) {
        this.issuer = issuer;
    }

    Settings copy() {
        Settings copy = new Settings(issuer);
        copy.clientId = clientId;
        copy.redirectUri = redirectUri;
        copy.scope = scope == null ? null : new ArrayList<>(scope);
        copy.sharing = sharing;
        copy.store = store;
        copy.browser = browser;
        copy.webView = webView;
        copy.dpop = dpop;
        copy.proofKey = proofKey;
        copy.timeout = timeout;
        copy.now = now;
        copy.sleep = sleep;
        copy.logger = logger;
        return copy;
    }

    /** Throws unless an app can work with them. @return the issuer's address */
    Address checked() throws DrawbridgeException {
        Address address = Address.of(issuer);
        if (address == null) {
            throw DrawbridgeException.wrong("the issuer must be https://…, or http:// on this machine alone");
        }
        if (Address.hasNoHost(address.text)) {
            throw DrawbridgeException.wrong("Java knows no host in the issuer: check its last label");
        }
        if (address.text.matches(".*[?#].*|.*/")) {
            throw DrawbridgeException.wrong("an issuer has neither a query nor a slash at its end");
        }
        if (clientId != null && clientId.isEmpty()) {
            throw DrawbridgeException.wrong("the clientId is empty");
        }
        if (redirectUri != null && Address.of(redirectUri) == null && !Address.isPrivateUse(redirectUri)) {
            throw DrawbridgeException.wrong("the redirectUri could be received by another app or host");
        }
        if (timeout <= 0) {
            throw DrawbridgeException.wrong("the timeout must be a positive number of milliseconds");
        }
        if (scope == null || !scope.stream().allMatch(Values::isText)) {
            throw DrawbridgeException.wrong("the scope must be a list of words");
        }
        return address;
    }

    void needClient() throws DrawbridgeException {
        if (clientId == null) {
            throw DrawbridgeException.wrong("this needs the app's clientId");
        }
    }

    boolean usesProofs() {
        return dpop || proofKey != null;
    }

    /** What a sign-in asks for, in a list of the caller's own. */
    List<String> requestedWords() {
        List<String> words = new ArrayList<>();
        words.add("openid");
        for (String word : scope) {
            if (!word.equals("openid") && !word.equals("device_sso")) {
                words.add(word);
            }
        }
        if (sharing != null) {
            words.add("device_sso");
        }
        return words;
    }

    String requestedScope() {
        return String.join(" ", requestedWords());
    }
}
