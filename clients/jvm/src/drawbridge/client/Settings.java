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
}
