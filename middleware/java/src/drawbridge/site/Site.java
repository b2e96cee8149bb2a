package drawbridge.site;

import drawbridge.json.Json;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One website: who is signed in, what a page demands, what Drawbridge tells its server. Keep one for the process. */
public final class Site {
    /** Of this library, semantic. */
    public static final String VERSION = "0.2.0";
    public static final String SESSION_COOKIE = "__Host-drawbridge_session";
    /** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
    public static final String SIGN_OUT_FORM =
        "<form method=\"post\" action=\"/session/logout\"><button>Sign out</button></form>";
    private static final String PROXY_FIELD = "x-drawbridge-proxy";
    /** Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself. */
    private static final String QUESTION_FIELD = "Drawbridge-Question";
    private static final String SIGN_OUT = "/session/logout";
    private static final String LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
    // Seconds: an access token lives at most a day; a notice is tried for a day.
    private static final long LONGEST_TOKEN = 86400;
    private static final long NOTICE_MEMORY = 2 * 86400;
    /** Seconds for which a handler may take; a process that dies over a notice is waited for no longer. */
    private static final long LONGEST_HANDLER = 300;
    /**
     * Bytes of Set-Cookie that take cookies away that came twice: an answer's header fields have to fit a proxy's buffer,
     * which is 4096 bytes by nginx's default.
     */
    private static final int MOST_TAKING = 2048;
    /** To a browser a cookie with it is another one than that without, of the same name, domain and path. */
    private static final String PARTITIONED = "; Partitioned";

    /** Does something with a notice; what it throws makes the notice come again. */
    public interface Handler {
        void handle(Map<String, Object> notice) throws Exception;
    }

    /** A user, or the reason why there is none: "missing" is a visitor, anything else deserves a line in the log. */
    public static final class Identity {
        public final User user;
        public final String reason;

        Identity(User user, String reason) {
            this.user = user;
            this.reason = reason;
        }
    }

    /** The user who may see a page, or the answer for whoever may not; one of them is null. */
    public static final class Decision {
        public final User user;
        public final Answer answer;

        Decision(User user, Answer answer) {
            this.user = user;
            this.answer = answer;
        }
    }

    private final Settings settings;
    private final List<Object[]> networks;
    private final LongSupplier now;
    private final Drawbridge drawbridge;
    private final Memory ended;
    private final Memory notices;
    /** Milliseconds for one question to Drawbridge. */
    long patience = 3000;
    /** Without {@link Outage}: they remember themselves when they were asked for in vain, and for longer. */
    private final Keys keys;

    public Site(Settings settings) {
        this(settings, () -> System.currentTimeMillis() / 1000, null, new Memory(100_000), new Memory(100_000));
    }

    /**
     * @param now Unix seconds
     * @param drawbridge null asks over HTTP
     * @param ended several processes share what they are told by stores of their own, as the next
     */
    public Site(Settings settings, LongSupplier now, Drawbridge drawbridge, Memory ended, Memory notices) {
        this.settings = new Settings(settings);
        this.networks = this.settings.checked();
        this.now = now;
        Drawbridge plain = drawbridge == null ? this::ask : drawbridge;
        Drawbridge asked = (path, headers) -> {
            Map<String, String> marked = new LinkedHashMap<>(headers);
            marked.put(QUESTION_FIELD, "1");
            return plain.get(path, marked);
        };
        this.drawbridge = new Outage(asked, now);
        this.ended = ended;
        this.notices = notices;
        this.keys = new Keys(asked, now);
    }

    public Identity identify(Request request) throws Unavailable {
        if (!request.values(QUESTION_FIELD).isEmpty()) {
            throw new Unavailable("this website is asked in place of Drawbridge");
        }
        try {
            switch (settings.source) {
                case PROXY:
                    return new Identity(fromProxy(request), null);
                case COOKIE:
                    return new Identity(fromCookie(request), null);
                default:
                    return new Identity(fromSession(request), null);
            }
        } catch (Refused refusal) {
            return new Identity(null, refusal.getMessage());
        }
    }

    private User fromProxy(Request request) throws Refused {
        for (String[] pair : request.headers) {
            // CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
            String usual = pair[0].toLowerCase(Locale.ROOT).replace('_', '-');
            if (pair[0].contains("_") && (usual.startsWith("x-auth-") || usual.startsWith(PROXY_FIELD))) {
                throw new Refused("underscore");
            }
        }
        if (!isFromProxy(request)) {
            throw new Refused("not_from_proxy");
        }
        String subject = field(request, "X-Auth-Subject");
        String session = field(request, "X-Auth-Session");
        String acr = field(request, "X-Auth-Acr");
        if (subject == null) {
            throw new Refused("missing");
        }
        if (session == null) {
            throw new Refused("malformed");
        }
        refuseEnded(session);
        return new User(subject, session, acr, Collections.emptyList(), null, identity(request));
    }

    /** As far as the setting wants it. What it does not want, a proxy need not take away from visitors. */
    private User.Identity identity(Request said) throws Refused {
        return new User.Identity(
            settings.identity.contains("name") ? field(said, "X-Auth-Name") : null,
            settings.identity.contains("email") ? field(said, "X-Auth-Email") : null,
            settings.identity.contains("groups") ? list(said, "X-Auth-Groups") : Collections.emptyList());
    }

    private boolean isFromProxy(Request request) {
        boolean holds = true;
        if (settings.proxySecret != null) {
            List<String> said = request.values(PROXY_FIELD);
            holds = said.size() == 1 && same(said.get(0), settings.proxySecret);
        }
        if (!settings.proxyAddresses.isEmpty()) {
            // Some containers write an address of IPv6 in brackets.
            byte[] peer = Settings.packed(request.peer == null ? "" : request.peer.replaceFirst("^\\[(.*)\\]$", "$1"));
            boolean found = false;
            for (Object[] network : networks) {
                found = found || peer != null && isWithin(peer, (byte[]) network[0], (int) network[1]);
            }
            holds = holds && found;
        }
        return holds;
    }

    private static boolean isWithin(byte[] peer, byte[] network, int bits) {
        if (peer.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            if (((peer[bit / 8] ^ network[bit / 8]) >> (7 - bit % 8) & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    private static String field(Request request, String name) throws Refused {
        List<String> values = request.values(name);
        if (values.isEmpty() || values.equals(Collections.singletonList(""))) {
            return null;
        }
        // Servers join repeated fields with a comma, so a comma may be a second voice.
        if (values.size() > 1 || values.get(0).contains(",")) {
            throw new Refused("repeated");
        }
        String text = decoded(values.get(0));
        if (!isText(text)) {
            throw new Refused("malformed");
        }
        return text;
    }

    /** Commas are between the texts; within one they are encoded. */
    private static List<String> list(Request request, String name) throws Refused {
        List<String> values = request.values(name);
        if (values.isEmpty() || values.equals(Collections.singletonList(""))) {
            return Collections.emptyList();
        }
        if (values.size() > 1) {
            throw new Refused("repeated");
        }
        List<String> texts = new ArrayList<>();
        for (String value : values.get(0).split(",", -1)) {
            String text = decoded(value);
            if (!isText(text)) {
                throw new Refused("malformed");
            }
            texts.add(text);
        }
        return Collections.unmodifiableList(texts);
    }

    /**
     * Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one
     * visitor sends would count as an outage for all.
     */
    private static boolean isCookie(String value) {
        return value.length() <= 8192 && value.matches("[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]++");
    }

    /** Drawbridge percent-encodes whatever is not visible ASCII. Null when it cannot be. */
    private static String decoded(String value) {
        if (!value.matches("(?:[\\x21-\\x24\\x26-\\x7e]|%[0-9A-Fa-f]{2})*+")) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) == '%') {
                bytes.write(Integer.parseInt(value.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(value.charAt(i));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException not) {
            return null;
        }
    }

    private User fromCookie(Request request) throws Refused, Unavailable {
        try {
            return fromToken(request);
        } catch (Refused refusal) {
            // A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out
            // stays beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
            List<String> secrets = request.cookies(SESSION_COOKIE);
            if (secrets.size() != 1 || !isCookie(secrets.get(0))) {
                throw refusal;
            }
            try {
                return asked(SESSION_COOKIE + "=" + secrets.get(0));
            } catch (Refused second) {
                throw refusal;
            }
        }
    }

    private User fromToken(Request request) throws Refused, Unavailable {
        List<String> tokens = request.cookies(settings.cookie);
        if (tokens.isEmpty() || tokens.equals(Collections.singletonList(""))) {
            throw new Refused("missing");
        }
        // A website beside ours can set a second one for the whole domain.
        if (tokens.size() > 1) {
            throw new Refused("repeated");
        }
        return userOf(tokens.get(0));
    }

    /** The user of an access token of this website. */
    public User userOf(String accessToken) throws Refused, Unavailable {
        long time = now.getAsLong();
        Map<String, Object> claims = keys.verified(accessToken, "at+jwt", Keys.ALGORITHMS, time);
        check(claims, Collections.singletonList(settings.audience == null ? settings.issuer : settings.audience), time);
        Object client = claims.get("client_id");
        if (client == null || !ours().contains(client)) {
            throw new Refused("client");
        }
        // One that is bound to a key is no cookie's (RFC 9449 §7).
        if (claims.containsKey("cnf")) {
            throw new Refused("bound");
        }
        Object subject = claims.get("sub");
        Object session = claims.get("sid");
        Object acr = claims.get("acr");
        Object authTime = claims.get("auth_time");
        List<String> amr = texts(claims.get("amr"));
        // A machine's token has no session, and is nobody's.
        if (!isText(subject) || !isText(session) || acr != null && !isText(acr) || authTime != null && !isTime(authTime) || amr == null) {
            throw new Refused("claims");
        }
        refuseEnded((String) session);
        // Which sessions ended before then is not known any more.
        if ((Long) claims.get("iat") <= ended.forgotten() - LONGEST_TOKEN + settings.leeway) {
            throw new Refused("ended");
        }
        return new User((String) subject, (String) session, (String) acr, amr, (Long) authTime, User.Identity.NONE);
    }

    /** Every client that is this website's. */
    private List<String> ours() {
        List<String> found = new ArrayList<>(settings.clients);
        found.add(settings.clientId);
        return found;
    }

    /** Null when it is no list of texts. */
    private static List<String> texts(Object value) {
        List<String> found = new ArrayList<>();
        if (value != null && !(value instanceof List)) {
            return null;
        }
        for (Object item : value == null ? Collections.emptyList() : (List<?>) value) {
            if (!(item instanceof String)) {
                return null;
            }
            found.add((String) item);
        }
        return found;
    }

    private void refuseEnded(String session) throws Refused {
        if (ended.has(session, now.getAsLong())) {
            throw new Refused("ended");
        }
    }

    private User fromSession(Request request) throws Refused, Unavailable {
        String cookie = ownCookies(request, SESSION_COOKIE, settings.cookie);
        if (cookie.isEmpty()) {
            throw new Refused("missing");
        }
        return asked(cookie);
    }

    /** Whom Drawbridge knows by its own cookies. */
    private User asked(String cookie) throws Refused, Unavailable {
        Drawbridge.Reply reply = drawbridge.get("/session", Collections.singletonMap("Cookie", cookie));
        Map<String, Object> said;
        try {
            said = reply.status == 200 ? Json.object(reply.body) : null;
        } catch (Json.Malformed not) {
            said = null;
        }
        if (said == null) {
            throw new Unavailable("/session answers with something else");
        }
        if (!Boolean.TRUE.equals(said.get("authenticated"))) {
            throw new Refused("missing");
        }
        List<String> amr = texts(said.get("amr"));
        if (!isText(said.get("sub")) || said.get("acr") != null && !isText(said.get("acr")) || amr == null) {
            throw new Unavailable("/session answers with something else");
        }
        Long authTime = null;
        try {
            authTime = said.get("auth_time") instanceof String ? Instant.parse((String) said.get("auth_time")).getEpochSecond() : null;
        } catch (DateTimeParseException unknown) {
            // Nobody says when, so nothing that asks for it is met.
        }
        String subject = (String) said.get("sub");
        User.Identity identity = settings.identity.isEmpty() ? User.Identity.NONE : askedIdentity(cookie, subject);
        return new User(subject, null, (String) said.get("acr"), amr, authTime, identity);
    }

    private User.Identity askedIdentity(String cookie, String subject) throws Refused, Unavailable {
        Drawbridge.Reply reply = drawbridge.get(
            "/auth/check?identity=" + String.join(",", settings.identity), Collections.singletonMap("Cookie", cookie));
        // It ended since the first question.
        if (reply.status == 401) {
            throw new Refused("missing");
        }
        Request said = new Request("GET", "/", reply.headers, "");
        try {
            if (reply.status == 200 && subject.equals(field(said, "X-Auth-Subject"))) {
                return identity(said);
            }
        } catch (Refused malformed) {
            // Said below.
        }
        throw new Unavailable("/auth/check answers with something else");
    }

    /**
     * Drawbridge's own cookies of the request, as one field. Two of a name count as none (contract §6): a website beside ours
     * can plant a token, and must not keep the session's cookie from being heard.
     */
    private static String ownCookies(Request request, String... names) throws Refused {
        List<String> pairs = new ArrayList<>();
        boolean isRepeated = false;
        for (String name : names) {
            List<String> values = request.cookies(name);
            isRepeated = isRepeated || values.size() > 1;
            if (values.size() == 1 && isCookie(values.get(0))) {
                pairs.add(name + "=" + values.get(0));
            }
        }
        if (pairs.isEmpty() && isRepeated) {
            throw new Refused("repeated");
        }
        return String.join("; ", pairs);
    }

    /**
     * @param acr the values that will do; empty means any
     * @param maxAge seconds since the sign-in; null means any
     */
    public Decision guard(Request request, List<String> acr, Long maxAge) {
        if (maxAge != null && settings.source == Settings.Source.PROXY) {
            throw new IllegalArgumentException("a proxy does not say when somebody signed in: let it ask /auth/check?max_age=");
        }
        try {
            User user = identify(request).user;
            if (user == null) {
                return new Decision(null, signIn(request));
            }
            boolean isFresh = maxAge == null || user.authTime != null && now.getAsLong() - user.authTime <= maxAge;
            if ((acr.isEmpty() || isStrongEnough(user.acr, acr)) && isFresh) {
                return new Decision(user, null);
            }
            return stepUp(request, user, acr, maxAge);
        } catch (Unavailable away) {
            return new Decision(null, Answer.away());
        } catch (Refused refusal) {
            return new Decision(null, Answer.refusal("Bearer", "invalid_token"));
        }
    }

    /** As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself. */
    private static boolean isStrongEnough(String acr, List<String> wanted) {
        // Some lists throw when they are asked for null.
        return acr != null && (wanted.contains(acr) || acr.equals("aal2") && wanted.contains("aal1"));
    }

    private Answer signIn(Request request) {
        if (!request.isPage()) {
            return Answer.refusal("Bearer", "invalid_token");
        }
        String wanted = request.isReturnTarget() ? "?redirect=" + encoded(request.target) : "";
        Answer answer = new Answer(303, "", "Location", settings.signIn + wanted, "Cache-Control", "no-store", "Vary", "Cookie");
        if (settings.source != Settings.Source.PROXY) {
            takeCookies(request, answer);
        }
        return answer;
    }

    /**
     * Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back here
     * for ever.
     */
    private void takeCookies(Request request, Answer answer) {
        List<String> places = new ArrayList<>();
        for (String path : request.cookiePaths()) {
            places.add("Path=" + path);
            for (String domain : cookieDomains(URI.create(settings.origin).getHost())) {
                places.add("Path=" + path + "; Domain=" + domain);
            }
        }
        int room = MOST_TAKING;
        for (String name : Arrays.asList(SESSION_COOKIE, settings.cookie)) {
            if (request.cookies(name).size() < 2) {
                continue;
            }
            // Browsers refuse every other line about a name of this kind.
            for (String place : name.startsWith("__Host-") ? Collections.singletonList("Path=/") : places) {
                String line = name + "=; Max-Age=0; " + place + "; Secure; HttpOnly";
                room -= 2 * line.length() + PARTITIONED.length();
                if (room < 0) {
                    return;
                }
                answer.headers.add(new String[] {"Set-Cookie", line});
                answer.headers.add(new String[] {"Set-Cookie", line + PARTITIONED});
            }
        }
    }

    /** Those for which a website beside this one can set a cookie that comes here. */
    private static List<String> cookieDomains(String host) {
        List<String> domains = new ArrayList<>();
        boolean isAddress = host.matches("(?s).*(\\.[0-9]+|\\])");
        for (int dot = -1; !isAddress && host.indexOf('.', dot + 1) >= 0; dot = host.indexOf('.', dot + 1)) {
            domains.add(host.substring(dot + 1));
        }
        return domains;
    }

    /** Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than. */
    private Decision stepUp(Request request, User user, List<String> acr, Long maxAge) throws Unavailable, Refused {
        StringBuilder challenge = new StringBuilder("Bearer error=\"insufficient_user_authentication\"");
        List<String> query = new ArrayList<>();
        if (!acr.isEmpty()) {
            challenge.append(", acr_values=\"").append(String.join(" ", acr)).append('"');
            query.add("acr=" + encoded(String.join(" ", acr)));
        }
        if (maxAge != null) {
            challenge.append(", max_age=\"").append(maxAge).append('"');
            query.add("max_age=" + maxAge);
        }
        Decision no = new Decision(null, Answer.refusal(challenge.toString(), "insufficient_user_authentication"));
        // Cookies are not the proxy's word: two of a name change nothing.
        if (settings.source == Settings.Source.PROXY) {
            return no;
        }
        // Whom the session's cookie named, it alone is asked about.
        String cookie = settings.source == Settings.Source.COOKIE && user.session == null
            ? ownCookies(request, SESSION_COOKIE) : ownCookies(request, SESSION_COOKIE, settings.cookie);
        if (cookie.isEmpty()) {
            return no;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Cookie", cookie);
        if (request.isPage()) {
            query.add("redirect=" + (request.isReturnTarget() ? encoded(request.target) : ""));
            headers.put("Accept", "text/html");
            headers.put("Sec-Fetch-Mode", "navigate");
            headers.put("Sec-Fetch-Dest", "document");
        }
        Drawbridge.Reply reply = drawbridge.get("/auth/check?" + String.join("&", query), headers);
        Answer passed = new Answer(303, "");
        for (String[] pair : reply.headers) {
            String name = pair[0].toLowerCase(Locale.ROOT);
            if (name.equals("location") || name.equals("set-cookie")) {
                passed.headers.add(pair);
            }
        }
        if (reply.status == 200) {
            if (user.subject.equals(named(reply))) {
                return new Decision(user, null);
            }
            // Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
            return request.isPage() ? new Decision(null, new Answer(303, "", "Location", SIGN_OUT, "Cache-Control", "no-store")) : no;
        }
        if (reply.status == 302 && passed.header("Location") != null) {
            passed.headers.add(new String[] {"Cache-Control", "no-store"});
            return new Decision(null, passed);
        }
        if (reply.status == 401 || reply.status == 403) {
            return no;
        }
        throw new Unavailable("/auth/check answers " + reply.status);
    }

    /** The user of an answer of /auth/check. One that names nobody is not Drawbridge's. */
    private static String named(Drawbridge.Reply reply) throws Unavailable {
        try {
            String subject = field(new Request("GET", "/", reply.headers, ""), "X-Auth-Subject");
            if (subject != null) {
                return subject;
            }
        } catch (Refused malformed) {
            // Said below.
        }
        throw new Unavailable("/auth/check answers with something else");
    }

    /** A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again. */
    public Answer webhook(byte[] body, String signature, Handler handler) throws Exception {
        long time = now.getAsLong();
        Map<String, Object> event;
        try {
            event = notice(body, signature == null ? "" : signature, time);
        } catch (Refused refusal) {
            return Answer.said(400, refusal.getMessage());
        }
        Object session = ((String) event.get("type")).endsWith("session.ended") ? event.get("sid") : null;
        return once((String) event.get("id"), time + NOTICE_MEMORY, session, event, handler, time);
    }

    /** OpenID Connect Back-Channel Logout 1.0, §2.6. {@code form} is the body of the POST. */
    public Answer backchannelLogout(byte[] form, Handler handler) throws Exception {
        long time = now.getAsLong();
        Map<String, Object> claims;
        try {
            claims = logout(new String(form, StandardCharsets.ISO_8859_1), time);
        } catch (Refused refusal) {
            // A 4xx settles it; after a 5xx it comes again.
            return Answer.said(refusal.isFinal ? 400 : 503, refusal.getMessage());
        } catch (Unavailable away) {
            return Answer.away();
        }
        return once("logout:" + claims.get("jti"), (Long) claims.get("exp") + settings.leeway, claims.get("sid"), claims, handler, time);
    }

    private Answer once(String name, long until, Object session, Map<String, Object> notice, Handler handler, long time)
        throws Exception {
        // Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet.
        if (notices.has(name, time)) {
            return Answer.said(200, "known");
        }
        if (isText(session) && ended.add((String) session, time + LONGEST_TOKEN, time).equals("full")) {
            return Answer.said(503, "full");
        }
        String inHand = "in hand " + name;
        // Full, it cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
        if (notices.add(inHand, time + LONGEST_HANDLER, time).equals("known")) {
            return Answer.said(503, "in_hand");
        }
        try {
            // Handled between the two looks above.
            if (notices.has(name, time)) {
                return Answer.said(200, "known");
            }
            handler.handle(notice);
            if (notices.add(name, until, time).equals("full")) {
                // It takes the place of its being in hand.
                notices.forget(inHand);
                notices.add(name, until, time);
            }
        } finally {
            notices.forget(inHand);
        }
        return Answer.said(200, "handled");
    }

    private Map<String, Object> notice(byte[] body, String signature, long time) throws Refused {
        if (body.length > 65536) {
            throw new Refused("too_large");
        }
        List<String> times = new ArrayList<>();
        List<String> codes = new ArrayList<>();
        for (String part : signature.split(",")) {
            if (part.startsWith("t=")) {
                times.add(part.substring(2));
            } else if (part.startsWith("v1=")) {
                codes.add(part.substring(3));
            }
        }
        if (times.size() != 1 || !times.get(0).matches("[0-9]{1,12}")) {
            throw new Refused("signature");
        }
        boolean holds = false;
        for (String secret : settings.webhookSecrets) {
            String expected = code(secret, times.get(0), body);
            for (String code : codes) {
                // All are compared, so that the time does not tell which one fits.
                holds = same(code, expected) | holds;
            }
        }
        if (!holds) {
            throw new Refused("signature");
        }
        if (Math.abs(time - Long.parseLong(times.get(0))) > 300) {
            throw new Refused("stale");
        }
        Map<String, Object> event;
        try {
            event = Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
        } catch (Json.Malformed | CharacterCodingException not) {
            throw new Refused("malformed");
        }
        if (!isText(event.get("id")) || !isText(event.get("type"))) {
            throw new Refused("malformed");
        }
        if (settings.clientId != null && !ours().contains(event.get("client_id"))) {
            throw new Refused("client");
        }
        return event;
    }

    private static String code(String secret, String time, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.US_ASCII));
            StringBuilder out = new StringBuilder();
            for (byte b : mac.doFinal(body)) {
                out.append(String.format("%02x", b));
            }
            return out.toString();
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }

    private Map<String, Object> logout(String form, long time) throws Refused, Unavailable {
        List<String> tokens = new ArrayList<>();
        for (String pair : form.split("&")) {
            if (pair.startsWith("logout_token=")) {
                // A token has no character that a form would encode.
                tokens.add(pair.substring("logout_token=".length()));
            }
        }
        if (tokens.size() != 1 || settings.issuer == null || settings.clientId == null) {
            throw new Refused("malformed");
        }
        Map<String, Object> claims = keys.verified(tokens.get(0), "logout+jwt", settings.logoutAlgorithms, time);
        check(claims, ours(), time);
        Object events = claims.get("events");
        Object event = events instanceof Map ? ((Map<?, ?>) events).get(LOGOUT_EVENT) : null;
        if (!(event instanceof Map) || claims.containsKey("nonce") || !isText(claims.get("sid")) || !isText(claims.get("jti"))) {
            throw new Refused("claims");
        }
        return claims;
    }

    private void check(Map<String, Object> claims, List<String> accepted, long time) throws Refused {
        if (!settings.issuer.equals(claims.get("iss"))) {
            throw new Refused("issuer");
        }
        Object audiences = claims.get("aud");
        if (Collections.disjoint(audiences instanceof List ? (List<?>) audiences : Collections.singletonList(audiences), accepted)) {
            throw new Refused("audience");
        }
        Object later = claims.getOrDefault("nbf", 0L);
        if (!isTime(claims.get("exp")) || !isTime(claims.get("iat")) || !isTime(later)) {
            throw new Refused("claims");
        }
        if (time >= (Long) claims.get("exp") + settings.leeway) {
            throw new Refused("expired");
        }
        if (Math.max((Long) claims.get("iat"), (Long) later) > time + settings.leeway) {
            throw new Refused("not_yet_valid");
        }
    }

    private static boolean isText(Object value) {
        return value instanceof String && !((String) value).isEmpty() && ((String) value).length() <= 1024;
    }

    private static boolean isTime(Object value) {
        return value instanceof Long && (Long) value >= 0 && (Long) value < 1L << 53;
    }

    /** In a time that tells neither where nor how long. */
    private static boolean same(String one, String other) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] first = digest.digest(one.getBytes(StandardCharsets.UTF_8));
            return MessageDigest.isEqual(first, digest.digest(other.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }

    /** All but RFC 3986's unreserved characters. */
    private static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
            out.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }

    /** No redirects, three seconds for all of it, 256 KiB. */
    private Drawbridge.Reply ask(String path, Map<String, String> headers) throws Unavailable {
        Map<String, String> fields = new LinkedHashMap<>();
        // Drawbridge knows its origins by Host: the browser's, not the name of the machine.
        fields.put("Host", URI.create(settings.origin).getRawAuthority());
        fields.putAll(headers);
        return Http.get(settings.drawbridge == null ? settings.origin : settings.drawbridge, path, fields, patience);
    }
}
