package drawbridge.client;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One app at one provider. Safe for many threads; its methods wait, so call them beside the main thread. */
public final class Drawbridge {
    /** Of this library, semantic. */
    public static final String VERSION = "0.3.0";

    /** What a sign-in may ask for; all may be null. */
    public static final class Wishes {
        public String loginHint;
        public List<String> acrValues;
        public Long maxAge;
        public String prompt;
        public List<String> languages;
    }

    /** What came of a try without a person: claims, or a reason. */
    public static final class Silent {
        public final Map<String, Object> claims;
        /** nothing_shared, parts_do_not_fit, refused, not_believed, failed; null when it worked. */
        public final String reason;
        public final DrawbridgeException error;

        Silent(Map<String, Object> claims, String reason, DrawbridgeException error) {
            this.claims = claims;
            this.reason = reason;
            this.error = error;
        }
    }

    /** What the person is shown when a device has no browser. */
    public static final class DeviceCode {
        public final String userCode;
        public final String verificationUri;
        public final String completeUri;
        /** Milliseconds since 1970. */
        public final long expiresAt;

        DeviceCode(String userCode, String verificationUri, String completeUri, long expiresAt) {
            this.userCode = userCode;
            this.verificationUri = verificationUri;
            this.completeUri = completeUri;
            this.expiresAt = expiresAt;
        }
    }

    final Core core;

    public Drawbridge(Settings given) throws DrawbridgeException {
        core = new Core(given);
    }

    /** A link that opens a page of the website, signed in by this app's own sign-in. */
    public LoginLink openUrl(String path) throws DrawbridgeException {
        return openUrl(path, null, null, false);
    }

    /**
     * A link that opens a page of the website, signed in.
     *
     * @param bearer any backend's token that the provider trusts; null: this app's own sign-in counts
     * @param website null: the provider's default
     * @param inHeader whether the token comes in {@link LoginLink#headers()} and not in the address
     */
    public LoginLink openUrl(String path, String bearer, String website, boolean inHeader) throws DrawbridgeException {
        return new LoginLinks(core).open(path, bearer, website, inHeader);
    }

    /** Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token. */
    public Map<String, Object> signIn(Wishes wishes) throws DrawbridgeException {
        return new BrowserSignIn(core).signIn(wishes);
    }

    /**
     * Tries to sign in without a person; what it cannot do is a value that says why. Whoever is signed in already stays so,
     * with the claims of that sign-in; no second one is made.
     */
    public Silent signInSilently() {
        return new SilentTry(core).signIn();
    }

    /** Shows a code and asks until the person has answered on another device. */
    public Map<String, Object> signInByDevice(Consumer<DeviceCode> show) throws DrawbridgeException {
        return new DeviceSignIn(core).signIn(show);
    }

    /** An access token that is good for half a minute at least; renewed first when it is not. */
    public String accessToken() throws DrawbridgeException {
        return core.renewal.current().accessToken;
    }

    /** Who is signed in, as the provider knows them (OpenID Connect Core §5.3). */
    public Map<String, Object> person() throws DrawbridgeException {
        return new UserInfo(core).person();
    }

    /** The cookies that sign a web view in at an address; only those that its host gets. */
    public List<WebViewCookie> cookies(String url, String webViewClient) throws DrawbridgeException {
        return new WebViewSignIn(core).cookies(url, webViewClient);
    }

    /** Fills the web view's cookies, then loads the page: the first request is signed in already. */
    public void openWebView(String url, String webViewClient) throws DrawbridgeException {
        new WebViewSignIn(core).open(url, webViewClient);
    }

    /** Signs out this device: what the maker's apps share as well. */
    public void signOut() throws DrawbridgeException {
        signOut(true);
    }

    /**
     * The secrets and the web view's cookies leave this device in every case, also when the provider cannot be told.
     *
     * @param device false: this app alone
     */
    public void signOut(boolean device) throws DrawbridgeException {
        new SignOut(core).signOut(device);
    }
}
