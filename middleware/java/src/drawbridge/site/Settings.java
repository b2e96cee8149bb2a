package drawbridge.site;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * What a website says of itself; docs/middleware.md has the table. Set the fields, then give it to {@link Site}, which keeps a
 * copy.
 */
public final class Settings {
    /** Where the user comes from. */
    public enum Source {
        /** X-Auth-* of a proxy that asked /auth/check. */
        PROXY,
        /** The access token's cookie, verified here. */
        COOKIE,
        /** Drawbridge is asked, at every request. */
        SESSION
    }

    public Source source;
    public String origin;
    public String drawbridge;
    public String issuer;
    public String clientId;
    public List<String> clients = Collections.emptyList();
    public String cookie = "access_token";
    public String audience;
    public String proxySecret;
    public List<String> proxyAddresses = Collections.emptyList();
    /** What the proxy may have in Host beside the origin's: further names of this website, or the one by which it asks. */
    public List<String> hosts = Collections.emptyList();
    public List<String> webhookSecrets = Collections.emptyList();
    public List<String> logoutAlgorithms = Keys.ALGORITHMS;
    public String signIn = "/session/sign-in";
    /**
     * Which of "name", "email" and "groups" a user has. The proxy has to ask for them and to take away what visitors send;
     * with the source SESSION each request costs a second question.
     */
    public List<String> identity = Collections.emptyList();
    /** Seconds by which clocks may differ. */
    public long leeway = 30;

    public Settings() {
    }

    /** Its lists too are copies: what becomes of the others changes nothing. */
    Settings(Settings given) {
        source = given.source;
        origin = given.origin;
        drawbridge = given.drawbridge;
        issuer = given.issuer;
        // What is set to nothing, as a variable of the environment may be, is not set: no notice names the client "".
        clientId = "".equals(given.clientId) ? null : given.clientId;
        clients = copy(given.clients);
        cookie = given.cookie;
        audience = given.audience;
        proxySecret = given.proxySecret;
        proxyAddresses = copy(given.proxyAddresses);
        hosts = copy(given.hosts);
        webhookSecrets = copy(given.webhookSecrets);
        logoutAlgorithms = copy(given.logoutAlgorithms);
        signIn = given.signIn;
        identity = copy(given.identity);
        leeway = given.leeway;
    }

    private static List<String> copy(List<String> given) {
        return Collections.unmodifiableList(new ArrayList<>(given));
    }

    /** Every client that is this website's. */
    List<String> ours() {
        List<String> found = new ArrayList<>(clients);
        found.add(clientId);
        return found;
    }

    /** @return what {@link #proxyAddresses} are: bytes of an address, and how many of their bits count */
    List<Object[]> checked() {
        require(source != null, "source must be PROXY, COOKIE or SESSION");
        address("origin", origin, true);
        address("drawbridge", drawbridge, false);
        address("issuer", issuer, false);
        require(source != Source.PROXY || proxySecret != null || !proxyAddresses.isEmpty(),
            "X-Auth-* of anybody would be believed: set proxySecret or proxyAddresses");
        require(proxySecret == null || proxySecret.length() >= 32, "proxySecret must have 32 characters or more");
        require(source != Source.COOKIE || issuer != null && clientId != null, "the source COOKIE needs issuer and clientId");
        for (String secret : webhookSecrets) {
            require(secret.length() >= 32, "a webhook secret must have 32 characters or more");
        }
        require(Keys.ALGORITHMS.containsAll(logoutAlgorithms), "logoutAlgorithms must be ES256, RS256 or both");
        require(Arrays.asList("name", "email", "groups").containsAll(identity),
            "identity must hold nothing but name, email and groups");
        require(identity.isEmpty() || source != Source.COOKIE,
            "an access token does not say identity: the source must be PROXY or SESSION");
        require(identity.isEmpty() || source != Source.SESSION || drawbridge != null,
            "identity with the source SESSION needs drawbridge: /auth/check is not at the website's origin");
        require(leeway >= 0 && leeway <= 60, "leeway must be 0 to 60 seconds");
        for (String host : hosts) {
            require(host.matches("[\\w.:\\[\\]-]+"), "hosts must be names as in Host, such as www.example.com or localhost:8443");
        }
        List<Object[]> networks = new ArrayList<>();
        for (String text : proxyAddresses) {
            String[] parts = text.split("/", 2);
            byte[] packed = packed(parts[0]);
            require(packed != null && (parts.length == 1 || parts[1].matches("[0-9]{1,3}")), "proxyAddresses: " + text + " is no address");
            int bits = parts.length == 1 ? 8 * packed.length : Integer.parseInt(parts[1]);
            require(bits <= 8 * packed.length, "proxyAddresses: " + text + " is no network");
            networks.add(new Object[] {packed, bits});
        }
        return Collections.unmodifiableList(networks);
    }

    /** Whether this, of Host, is the origin's or among {@link #hosts}. */
    boolean isOwnHost(String said) {
        URI uri = URI.create(origin);
        String standard = "https".equalsIgnoreCase(uri.getScheme()) ? ":443$" : ":80$";
        String plain = said.toLowerCase(Locale.ROOT).replaceFirst(standard, "");
        List<String> own = new ArrayList<>(hosts);
        own.add(uri.getRawAuthority());
        return own.stream().anyMatch(host -> host.toLowerCase(Locale.ROOT).replaceFirst(standard, "").equals(plain));
    }

    static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }

    private static void address(String name, String value, boolean needed) {
        if (value == null && !needed) {
            return;
        }
        require(value != null, name + " is missing");
        URI uri = URI.create(value);
        String host = String.valueOf(uri.getHost());
        boolean plain = Arrays.asList("127.0.0.1", "[::1]", "localhost").contains(host);
        require(uri.getHost() != null && ("https".equals(uri.getScheme()) || plain && "http".equals(uri.getScheme())),
            name + " must be an https address (http on loopback), not " + value);
        require(uri.getQuery() == null && uri.getFragment() == null && uri.getUserInfo() == null && !value.endsWith("/"),
            name + " must have no query, fragment, user or slash at its end");
    }

    /** The bytes of an address that is written in digits; never a name, which would be looked up. Null when it is none. */
    static byte[] packed(String text) {
        boolean digits = text.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}") || text.matches("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
        try {
            return digits ? InetAddress.getByName(text).getAddress() : null;
        } catch (UnknownHostException none) {
            return null;
        }
    }
}
