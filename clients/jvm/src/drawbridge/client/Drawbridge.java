package drawbridge.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One app at one provider. Safe for many threads; its methods wait, so call them beside the main thread. */
public final class Drawbridge {
    /** Of this library, semantic. */
    public static final String VERSION = "0.3.0";
    /** How far two clocks may be apart, in seconds. */
    private static final long LEEWAY = 120;
    /**
     * Milliseconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for
     * 10 s and is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
     */
    private static final int LONGEST_RENEWAL = 6_000;
    /** How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once. */
    private static final int MOST_EARLIER = 8;
    /** Seconds for which a code of another device is asked for at most. */
    private static final double LONGEST_CODE = 86400;
    /** Seconds that an answer can give anything to live: what is more would run over as milliseconds. */
    private static final double LONGEST_LIFE = 1e9;
    private static final String COOKIES = "application/vnd.drawbridge.cookies+json";
    private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
    private static final String ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
    private static final String DEVICE_SECRET = "urn:openid:params:token-type:device-secret";
    private static final String EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    private static final List<String> POSSIBLE =
        Arrays.asList("userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint");
    private static final SecureRandom RANDOM = new SecureRandom();

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

    private interface Call<T> {
        T with(Kept own) throws DrawbridgeException;
    }

    private interface Work<T> {
        T run() throws Exception;
    }

    /** This app's sign-in, as it is kept. */
    private static final class Kept {
        String accessToken;
        String refreshToken;
        double expiresAt;
        String subject;
        boolean bound;
        /** What was granted; null when nobody said. */
        String scope;
        /** Of the ID token that it came with; null when an earlier version kept it. */
        Map<String, Object> claims;
        /** Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it. */
        List<String> earlier = new ArrayList<>();

        /** The same and its own. */
        List<String> refreshTokens() {
            List<String> all = new ArrayList<>(earlier);
            if (refreshToken != null) {
                all.add(refreshToken);
            }
            return all;
        }
    }

    private static final class Shared {
        String deviceSecret;
        String idToken;
        IdToken parts;
    }

    private final Settings settings;
    private final String issuer;
    private final boolean isLoopback;
    private final List<String> scope = new ArrayList<>();
    private final Map<String, String> nonces = new ConcurrentHashMap<>();
    private volatile Map<String, Object> metadata;
    /** Null before it was read. */
    private volatile List<?> keySet;
    private volatile ProofKey proofKey;

    public Drawbridge(Settings given) throws DrawbridgeException {
        // One state for all threads, whatever the app does with its own.
        settings = given.copy();
        Address address = Address.of(settings.issuer);
        if (address == null) {
            throw wrong("the issuer must be https://…, or http:// on this machine alone");
        }
        if (Address.hasNoHost(address.text)) {
            throw wrong("Java knows no host in the issuer: check its last label");
        }
        if (address.text.matches(".*[?#].*|.*/")) {
            throw wrong("an issuer has neither a query nor a slash at its end");
        }
        if (settings.clientId != null && settings.clientId.isEmpty()) {
            throw wrong("the clientId is empty");
        }
        if (settings.redirectUri != null && Address.of(settings.redirectUri) == null && !Address.isPrivateUse(settings.redirectUri)) {
            throw wrong("the redirectUri could be received by another app or host");
        }
        if (settings.timeout <= 0) {
            throw wrong("the timeout must be a positive number of milliseconds");
        }
        if (settings.scope == null || !settings.scope.stream().allMatch(Drawbridge::isText)) {
            throw wrong("the scope must be a list of words");
        }
        this.issuer = address.text;
        this.isLoopback = address.isLoopback;
        this.proofKey = settings.proofKey;
        scope.add("openid");
        for (String word : settings.scope) {
            if (!word.equals("openid") && !word.equals("device_sso")) {
                scope.add(word);
            }
        }
        if (settings.sharing != null) {
            scope.add("device_sso");
        }
    }

    // From the app onto the web (contract §3)

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
        Map<String, Object> wish = new LinkedHashMap<>();
        if (path != null) {
            wish.put("redirect", path);
        }
        if (website != null) {
            wish.put("client_id", website);
        }
        if (bearer != null && !isVisible(bearer)) {
            throw wrong("the bearer is empty or not a token");
        }
        byte[] body = Json.write(wish).getBytes(StandardCharsets.UTF_8);
        if (bearer != null) {
            return link(ask(body, bearer, false), inHeader);
        }
        return link(withToken(own -> ask(body, own.accessToken, own.bound)), inHeader);
    }

    private Http ask(byte[] body, String token, boolean proves) throws DrawbridgeException {
        Http answer = send("POST", issuer + "/api/auth/create-sso-token", "application/json", body, null, token, proves);
        if (answer.status != 200) {
            throw failure(answer, "the login token endpoint");
        }
        return answer;
    }

    private LoginLink link(Http given, boolean inHeader) throws DrawbridgeException {
        Map<String, Object> answer = object(given.text);
        Address target = Address.of(answer.get("login_url"));
        Object life = answer.get("expires_in");
        if (target == null || target.isLoopback && !isLoopback || !isNumber(life) || number(life) <= 0) {
            throw unexpected(given, "it holds no login address to be trusted");
        }
        long end = now() + (long) (1000 * Math.min(number(life), LONGEST_LIFE));
        Object code = answer.get("login_code");
        if (code != null && !isLoginCode(code)) {
            throw unexpected(given, "its login code is not six digits");
        }
        if (!inHeader) {
            return new LoginLink(target.text, Collections.emptyMap(), end, (String) code);
        }
        Object token = answer.get("token");
        if (!isVisible(token)) {
            throw unexpected(given, "it holds no token for the header");
        }
        String[] parts = target.text.split("\\?", 2);
        List<String> rest = new ArrayList<>();
        for (String pair : parts.length > 1 ? parts[1].split("&") : new String[0]) {
            if (!pair.isEmpty() && !pair.startsWith("token=")) {
                rest.add(pair);
            }
        }
        String url = rest.isEmpty() ? parts[0] : parts[0] + "?" + String.join("&", rest);
        if (url.contains((String) token)) {
            throw unexpected(given, "the token is in the path");
        }
        return new LoginLink(url, Collections.singletonMap("Drawbridge-Login-Token", (String) token), end, (String) code);
    }

    // Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1)

    /** Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token. */
    public Map<String, Object> signIn(Wishes wishes) throws DrawbridgeException {
        if (settings.browser == null) {
            throw wrong("signIn needs a browser among the settings");
        }
        needClient();
        Map<String, Object> provider = provider();
        needKeys();
        // Whatever can fail comes before the browser is prepared, which may hold on to something for the answer.
        String thumbprint = usesProofs() ? thumbprint() : null;
        String prepared = hosted("the browser", settings.browser::prepare);
        String redirect = prepared == null ? settings.redirectUri : prepared;
        if (Address.of(redirect) == null && !Address.isPrivateUse(redirect)) {
            throw wrong("there is no redirectUri to come back to");
        }
        String state = random(16);
        String nonce = random(16);
        String verifier = random(32);
        String endpoint = (String) provider.get("authorization_endpoint");
        Map<String, String> query = members("response_type", "code", "client_id", settings.clientId, "redirect_uri", redirect,
            "scope", String.join(" ", scope), "state", state, "nonce", nonce,
            "code_challenge", IdToken.encode(IdToken.sha256(verifier)), "code_challenge_method", "S256",
            "login_hint", wishes.loginHint, "prompt", wishes.prompt,
            "acr_values", wishes.acrValues == null ? null : String.join(" ", wishes.acrValues),
            "max_age", wishes.maxAge == null ? null : wishes.maxAge.toString(),
            "ui_locales", wishes.languages == null ? null : String.join(" ", wishes.languages),
            "dpop_jkt", thumbprint);
        String address = endpoint + (endpoint.contains("?") ? "&" : "?") + form(query);
        String answer = hosted("the browser", () -> settings.browser.open(address));
        String code = code(answer == null ? "" : answer, redirect, state, provider);
        Shared shared = null;
        Map<String, Object> tokens = null;
        try {
            Map<String, Object> claims;
            try (Store.Lock held = sharing()) {
                shared = shared();
                tokens = token(members("grant_type", "authorization_code", "code", code, "redirect_uri", redirect,
                    // A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    "code_verifier", verifier, "device_secret", shared == null ? null : shared.deviceSecret));
                String secret = (String) tokens.get("device_secret");
                claims = verified(tokens, nonce, wishes.maxAge, null, secret);
                if (secret != null) {
                    share(secret, (String) tokens.get("id_token"));
                }
            }
            begin(tokens, claims);
            return claims;
        } catch (DrawbridgeException | RuntimeException error) {
            if (tokens != null) {
                abandon(tokens, shared);
            }
            throw error;
        }
    }

    /** The code in what the browser brought back, once every check of RFC 8252 and RFC 9207 has passed. */
    private String code(String address, String redirect, String state, Map<String, Object> provider) throws DrawbridgeException {
        String[] parts = address.split("\\?", 2);
        String[] expected = redirect.split("\\?", 2);
        if (!parts[0].equals(expected[0])
            || expected.length > 1 && !keepsQuery(expected[1], parts.length < 2 ? "" : parts[1])) {
            throw new DrawbridgeException("answer.other_address");
        }
        Map<String, List<String>> found = parts.length < 2 || parts[1].contains("#") ? null : parameters(parts[1]);
        if (found == null) {
            throw new DrawbridgeException("answer.malformed");
        }
        String said = single(found, "state");
        if (said == null || !IdToken.same(said, state)) {
            throw new DrawbridgeException("answer.foreign_state");
        }
        // Before anything else is read: an answer of another provider must not even make us show its error.
        String from = single(found, "iss");
        boolean isNeeded = Boolean.TRUE.equals(provider.get("authorization_response_iss_parameter_supported"));
        if (from == null ? isNeeded : !from.equals(issuer)) {
            throw new DrawbridgeException("answer.other_issuer");
        }
        String code = single(found, "code");
        String error = single(found, "error");
        if (error != null) {
            if (code != null || error.isEmpty()) {
                throw new DrawbridgeException("answer.no_code");
            }
            String description = single(found, "error_description");
            // Whoever gives another reason than the person's own no is heard: there may be something to do about it.
            if (error.equals("access_denied") && (description == null || description.equals("the user declined"))) {
                throw new DrawbridgeException("cancelled");
            }
            throw DrawbridgeException.refused(error, description, null, null, null, null);
        }
        if (code == null || code.isEmpty()) {
            throw new DrawbridgeException("answer.no_code");
        }
        return code;
    }

    /** Whether the redirect address's own query came back: the answer is appended to it (RFC 6749 §3.1.2, RFC 8252 §8.10). */
    private static boolean keepsQuery(String own, String query) {
        return own.isEmpty() || (query + "&").startsWith(own.endsWith("&") ? own : own + "&");
    }

    private static String single(Map<String, List<String>> found, String name) throws DrawbridgeException {
        List<String> values = found.getOrDefault(name, Collections.emptyList());
        if (values.size() > 1) {
            throw new DrawbridgeException("answer.malformed");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    // Without a person: by what this app has kept, else by what another left on the device (Native SSO §4)

    /**
     * Tries to sign in without a person; what it cannot do is a value that says why. Whoever is signed in already stays so,
     * with the claims of that sign-in; no second one is made.
     */
    public Silent signInSilently() {
        try {
            needClient();
            Map<String, Object> claims = ownClaims();
            if (claims != null) {
                return new Silent(claims, null, null);
            }
            if (currentShared() == null) {
                return new Silent(null, "nothing_shared", null);
            }
            needKeys();
            // Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be
            // a replay (contract §5.4).
            Shared shared = currentShared();
            return shared == null ? new Silent(null, "nothing_shared", null) : exchange(shared);
        } catch (DrawbridgeException error) {
            String reason = error.code.startsWith("id_token.") ? "not_believed" : error.code.equals("refused") ? "refused" : "failed";
            return new Silent(null, reason, error);
        }
    }

    /** Of this app's own sign-in, renewed when it is due; null when there is none, or the provider has ended it. */
    private Map<String, Object> ownClaims() throws DrawbridgeException {
        Kept own = stored();
        // One that an earlier version kept has no claims, and is made anew this once.
        if (own == null || own.claims == null) {
            return null;
        }
        try {
            return current().claims;
        } catch (DrawbridgeException error) {
            if (error.code.equals("not_signed_in")) {
                return null;
            }
            // No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if (Arrays.asList("unreachable", "come_back_later", "unexpected_answer").contains(error.code)) {
                return own.claims;
            }
            throw error;
        }
    }

    private Silent exchange(Shared shared) throws DrawbridgeException {
        Object hash = shared.parts.claims.get("ds_hash");
        if (!isText(hash) || !IdToken.same(hash, IdToken.halfHash(shared.deviceSecret))) {
            return new Silent(null, "parts_do_not_fit", null);
        }
        Map<String, Object> tokens;
        try {
            tokens = token(members("grant_type", EXCHANGE, "audience", issuer, "subject_token", shared.idToken,
                "subject_token_type", ID_TOKEN, "actor_token", shared.deviceSecret, "actor_token_type", DEVICE_SECRET,
                "scope", String.join(" ", scope)));
        } catch (DrawbridgeException error) {
            if ("invalid_grant".equals(error.oauth)) {
                forgetShared(shared.deviceSecret, null);
            }
            throw error;
        }
        try {
            String secret = (String) tokens.get("device_secret");
            Map<String, Object> claims =
                verified(tokens, null, null, shared.parts.subject(), secret == null ? shared.deviceSecret : secret);
            if (secret != null && !secret.equals(shared.deviceSecret)) {
                share(secret, (String) tokens.get("id_token"));
            }
            begin(tokens, claims);
            return new Silent(claims, null, null);
        } catch (DrawbridgeException | RuntimeException error) {
            // The device is not this app's alone: its secret stays.
            drop(tokens);
            throw error;
        }
    }

    // Sign-in without a browser (RFC 8628)

    /** Shows a code and asks until the person has answered on another device. */
    public Map<String, Object> signInByDevice(Consumer<DeviceCode> show) throws DrawbridgeException {
        needClient();
        Object address = provider().get("device_authorization_endpoint");
        if (address == null) {
            throw new DrawbridgeException("provider.endpoint", "device_authorization_endpoint");
        }
        needKeys();
        List<String> words = new ArrayList<>(scope);
        // What a device cannot have is not asked for.
        words.removeAll(Arrays.asList("offline_access", "device_sso"));
        Http answer = post((String) address, members("client_id", settings.clientId, "scope", String.join(" ", words)), null, false);
        if (answer.status != 200) {
            throw failure(answer, "the device authorization endpoint");
        }
        Map<String, Object> said = object(answer.text);
        Address complete = Address.of(said.get("verification_uri_complete"));
        if (!isText(said.get("device_code")) || !isText(said.get("user_code")) || !isNumber(said.get("expires_in"))
            || number(said.get("expires_in")) <= 0 || Address.of(said.get("verification_uri")) == null) {
            throw unexpected(answer, "no code to be shown came");
        }
        long end = now() + (long) (1000 * Math.min(number(said.get("expires_in")), LONGEST_CODE));
        DeviceCode shown = new DeviceCode((String) said.get("user_code"), (String) said.get("verification_uri"),
            complete == null ? null : complete.text, end);
        hosted("what shows the code", () -> {
            show.accept(shown);
            return null;
        });
        double interval = isNumber(said.get("interval")) ? Math.max(1, number(said.get("interval"))) : 5;
        Map<String, Object> tokens = null;
        while (tokens == null) {
            try {
                // No longer than the code lives, whatever the provider wants.
                settings.sleep.sleep(Math.max(0, (long) Math.min(1000 * interval, end - now())));
                tokens = token(members("grant_type", DEVICE_GRANT, "device_code", (String) said.get("device_code")));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new DrawbridgeException("cancelled");
            } catch (DrawbridgeException error) {
                if ("slow_down".equals(error.oauth)) {
                    interval += 5;
                } else if ("expired_token".equals(error.oauth)) {
                    throw new DrawbridgeException("timed_out");
                } else if (error.code.equals("unreachable")) {
                    // A lost connection is no answer (RFC 8628 §3.5).
                    interval = Math.min(2 * interval, 60);
                } else if (error.code.equals("come_back_later")) {
                    interval = Math.max(interval, error.seconds == null ? 0 : error.seconds);
                } else if (!"authorization_pending".equals(error.oauth)) {
                    throw error;
                }
            }
            if (tokens == null && now() >= end) {
                throw new DrawbridgeException("timed_out");
            }
        }
        // Beside the asking: a code that was used is not asked with again, which would end what it opened.
        try {
            Map<String, Object> claims = verified(tokens, null, null, null, null);
            begin(tokens, claims);
            return claims;
        } catch (DrawbridgeException | RuntimeException error) {
            abandon(tokens, null);
            throw error;
        }
    }

    // Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14)

    /** An access token that is good for half a minute at least; renewed first when it is not. */
    public String accessToken() throws DrawbridgeException {
        return current().accessToken;
    }

    /** Who is signed in, as the provider knows them (OpenID Connect Core §5.3). */
    public Map<String, Object> person() throws DrawbridgeException {
        needClient();
        Object address = provider().get("userinfo_endpoint");
        if (address == null) {
            throw new DrawbridgeException("provider.endpoint", "userinfo_endpoint");
        }
        Map<String, Object> person = withToken(own -> {
            Http answer = send("GET", (String) address, null, null, null, own.accessToken, own.bound);
            if (answer.status != 200) {
                throw failure(answer, "userinfo");
            }
            Map<String, Object> said = object(answer.text);
            if (!isText(said.get("sub"))) {
                throw unexpected(answer, "userinfo cannot be read");
            }
            return said;
        });
        // An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        Kept own = stored();
        if (own == null || !own.subject.equals(person.get("sub"))) {
            throw new DrawbridgeException("id_token.subject");
        }
        return person;
    }

    private Kept current() throws DrawbridgeException {
        needClient();
        Kept own = stored();
        if (own == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        return own.expiresAt > now() + 30_000 ? own : renewed(own);
    }

    /** Calls with the sign-in, and once more with a renewed one when the provider does not take the first token. */
    private <T> T withToken(Call<T> call) throws DrawbridgeException {
        Kept own = current();
        try {
            return call.with(own);
        } catch (DrawbridgeException error) {
            if (!error.code.equals("refused") || !"invalid_token".equals(error.oauth)) {
                throw error;
            }
        }
        return call.with(renewed(own));
    }

    /** One renewal at a time on this device, by the store's lock. */
    private Kept renewed(Kept stale) throws DrawbridgeException {
        try (Store.Lock held = stores(() -> settings.store.lock(renewal()))) {
            return renew(stale);
        }
    }

    private Kept renew(Kept stale) throws DrawbridgeException {
        Kept own = stored();
        if (own == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        // Another was quicker: its token is as good as ours would be.
        if (!own.accessToken.equals(stale.accessToken) && own.expiresAt > now() + 30_000) {
            return own;
        }
        if (own.refreshToken == null) {
            throw new DrawbridgeException("not_signed_in");
        }
        Shared shared = shared();
        boolean isOurs = shared == null || shared.parts.subject().equals(own.subject);
        // A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if (isOurs && shared != null) {
            needKeys();
        }
        // No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier version did
        // not keep it.
        List<String> words = new ArrayList<>(own.scope == null ? scope : Arrays.asList(own.scope.split(" ")));
        words.remove("device_sso");
        Map<String, Object> tokens;
        try {
            tokens = token(members("grant_type", "refresh_token", "refresh_token", own.refreshToken,
                // Without it the provider would make a second device of this one (contract §5.2). Of somebody else's
                // shared sign-in nothing is told, and no secret is asked for that would take its place.
                "device_secret", isOurs && shared != null ? shared.deviceSecret : null,
                "scope", isOurs ? null : String.join(" ", words)));
        } catch (DrawbridgeException error) {
            // Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            if (!error.code.equals("refused") || !"invalid_grant".equals(error.oauth)) {
                throw error;
            }
            Kept other = stored();
            if (other != null && !own.refreshToken.equals(other.refreshToken)) {
                return other;
            }
            remove(item());
            revokeIfPossible(own.earlier, own.bound);
            throw new DrawbridgeException("not_signed_in", "the provider has ended the sign-in (" + error.oauth + ")", null, null,
                error.requestId, error.page);
        }
        // Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        Kept now = stored();
        if (now == null) {
            drop(tokens);
            throw new DrawbridgeException("not_signed_in", "this app was signed out meanwhile");
        }
        if (!own.refreshToken.equals(now.refreshToken)) {
            return now;
        }
        // Kept before its ID token is looked at: the one before is used up.
        Kept fresh = keep(tokens, own.subject, own);
        if (tokens.containsKey("id_token")) {
            heed(tokens, own.subject, isOurs);
        }
        return fresh;
    }

    /** Verifies the ID token of a renewal, and shares a device secret that came with it. */
    private void heed(Map<String, Object> tokens, String subject, boolean isOurs) throws DrawbridgeException {
        String secret = (String) tokens.get("device_secret");
        // The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        // Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        // only the key is missing, or this device's clock is wrong.
        boolean isNew = secret != null && isOurs && fits(tokens, subject, secret);
        Shared before = isNew ? shared() : null;
        if (isNew) {
            share(secret, (String) tokens.get("id_token"));
        }
        try {
            verified(tokens, null, null, subject, secret);
        } catch (DrawbridgeException error) {
            if (isNew && !isInconclusive(error)) {
                forgetShared(secret, before);
            }
            throw error;
        }
    }

    // Into the app's web view (contract §5.4, §6)

    /** The cookies that sign a web view in at an address; only those that its host gets. */
    public List<WebViewCookie> cookies(String url, String webViewClient) throws DrawbridgeException {
        needClient();
        Address page = Address.of(url);
        if (page == null || page.isLoopback && !isLoopback) {
            throw wrong("cookies go to https pages alone");
        }
        String endpoint = (String) provider().get("token_endpoint");
        String origin = Address.of(endpoint).host;
        Http given = withToken(own -> {
            Shared shared = currentShared();
            if (shared == null || !shared.parts.subject().equals(own.subject)) {
                throw new DrawbridgeException("not_signed_in", "there is no device secret of this person");
            }
            Http answer = post(endpoint, members("grant_type", EXCHANGE, "client_id", webViewClient, "subject_token", own.accessToken,
                "subject_token_type", ACCESS_TOKEN, "actor_token", shared.deviceSecret, "actor_token_type", DEVICE_SECRET), COOKIES, own.bound);
            if (answer.status != 200) {
                throw failure(answer, "the token endpoint");
            }
            return answer;
        });
        String type = given.headers.getOrDefault("content-type", "").split(";")[0].trim().toLowerCase(Locale.ROOT);
        Object list = type.equals(COOKIES) ? object(given.text).get("cookies") : null;
        List<WebViewCookie> fitting = new ArrayList<>();
        boolean isWhole = list instanceof List;
        for (Object one : isWhole ? (List<?>) list : Collections.emptyList()) {
            isWhole = isWhole && isCookie(one);
            if (isWhole && reaches((Map<?, ?>) one, page.host, origin)) {
                fitting.add(new WebViewCookie((Map<?, ?>) one, url));
            }
        }
        if (!isWhole) {
            throw unexpected(given, webViewClient + " gets no cookies; its client needs delivery: cookies");
        }
        if (fitting.isEmpty()) {
            throw wrong("the provider's cookies do not reach " + page.host);
        }
        return fitting;
    }

    /** Fills the web view's cookies, then loads the page: the first request is signed in already. */
    public void openWebView(String url, String webViewClient) throws DrawbridgeException {
        if (settings.webView == null) {
            throw wrong("openWebView needs a webView among the settings");
        }
        List<WebViewCookie> cookies = cookies(url, webViewClient);
        List<Object> places = new ArrayList<>();
        for (WebViewCookie cookie : cookies) {
            places.add(Arrays.asList(cookie.name, cookie.domain, cookie.path, cookie.url));
        }
        // Remembered first: what was set can be taken out again, by another process too.
        for (List<?> old : placed()) {
            boolean isKnown = false;
            for (Object place : places) {
                List<?> own = (List<?>) place;
                isKnown = isKnown || own.subList(0, 3).equals(old.subList(0, 3))
                    && Address.origin((String) own.get(3)).equals(Address.origin(String.valueOf(old.get(3))));
            }
            if (!isKnown) {
                places.add(0, old);
            }
        }
        write(item() + ":cookies", Json.write(places));
        for (WebViewCookie cookie : cookies) {
            stores(() -> {
                settings.webView.setCookie(cookie);
                return null;
            });
        }
        hosted("the web view", () -> {
            settings.webView.load(url);
            return null;
        });
    }

    private List<List<?>> placed() throws DrawbridgeException {
        String kept = read(item() + ":cookies");
        List<List<?>> found = new ArrayList<>();
        try {
            Object list = kept == null ? null : Json.read(kept);
            for (Object place : list instanceof List ? (List<?>) list : Collections.emptyList()) {
                if (place instanceof List && ((List<?>) place).size() == 4) {
                    found.add((List<?>) place);
                }
            }
        } catch (Json.Malformed none) {
            found.clear();
        }
        return found;
    }

    // The end of a sign-in (contract §7, RFC 7009)

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
        needClient();
        // Not beside a renewal: that one would put fresh tokens where these have just been taken out.
        Store.Lock[] taken = {null};
        DrawbridgeException unlocked = tried(null, () -> taken[0] = stores(() -> settings.store.lock(renewal())));
        try (Store.Lock held = taken[0]) {
            end(device, unlocked);
        }
    }

    /** @param unlocked why the lock could not be had, or null: what is kept ends without it, and that is told */
    private void end(boolean device, DrawbridgeException unlocked) throws DrawbridgeException {
        // What cannot be read cannot be ended at the provider, and leaves the device all the same.
        Kept[] read = {null};
        Shared[] readShared = {null};
        DrawbridgeException problem = tried(null, () -> read[0] = stored());
        DrawbridgeException unreadable = tried(null, () -> readShared[0] = shared());
        Kept own = read[0];
        Shared shared = readShared[0];
        boolean isOurs = own == null || shared != null && shared.parts.subject().equals(own.subject);
        boolean endsShared = shared == null ? unreadable != null && device
            : isOurs && (device || IdToken.audiences(shared.parts.claims).contains(settings.clientId));
        if (own == null && problem == null && !endsShared) {
            throw new DrawbridgeException("not_signed_in");
        }
        problem = problem == null ? unreadable : problem;
        boolean bound = own != null && own.bound;
        List<String> ending = own == null ? new ArrayList<>() : own.refreshTokens();
        Collections.reverse(ending);
        // Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
        boolean isSilent = false;
        for (int i = 0; i < ending.size() && !isSilent; i++) {
            DrawbridgeException other = revoke(ending.get(i), "refresh_token", bound);
            problem = problem == null ? other : problem;
            isSilent = other != null && other.code.equals("unreachable");
        }
        if (shared != null && endsShared) {
            DrawbridgeException other = revoke(shared.deviceSecret, "device_secret", bound);
            problem = problem == null ? other : problem;
        }
        // All of it, also when the store refuses a part; what stays on the device is told before anything else.
        DrawbridgeException stays = tried(unlocked, () -> remove(item()));
        if (endsShared) {
            Step removal = shared == null ? () -> remove(sharedItem()) : () -> forgetShared(shared.deviceSecret, null);
            stays = tried(stays, removal);
        }
        stays = tried(stays, this::clearWebView);
        if (stays != null) {
            throw stays;
        }
        if (problem != null) {
            throw new DrawbridgeException("signed_out_here_only", problem.getMessage(), problem.oauth, problem.seconds,
                problem.requestId, problem.page);
        }
    }

    private interface Step {
        void run() throws DrawbridgeException;
    }

    /** The first that went wrong, or null. */
    private static DrawbridgeException tried(DrawbridgeException before, Step step) {
        try {
            step.run();
            return before;
        } catch (DrawbridgeException error) {
            return before == null ? error : before;
        }
    }

    private void clearWebView() throws DrawbridgeException {
        List<List<?>> placed;
        try {
            placed = placed();
        } catch (DrawbridgeException unreadable) {
            // A list that stayed so would fail every sign-out to come.
            tried(unreadable, () -> remove(item() + ":cookies"));
            throw unreadable;
        }
        // Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if (settings.webView == null || placed.isEmpty()) {
            return;
        }
        DrawbridgeException stays = null;
        for (List<?> place : placed) {
            stays = tried(stays, () -> stores(() -> {
                settings.webView.removeCookie((String) place.get(0), (String) place.get(1), (String) place.get(2), (String) place.get(3));
                return null;
            }));
        }
        if (stays != null) {
            throw stays;
        }
        remove(item() + ":cookies");
    }

    /** Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again. */
    private void abandon(Map<String, Object> tokens, Shared before) {
        String secret = (String) tokens.get("device_secret");
        if (secret != null) {
            tried(null, () -> {
                try (Store.Lock held = sharing()) {
                    forgetShared(secret, before);
                }
            });
        }
        drop(tokens);
        // Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if (secret != null && before == null) {
            revoke(secret, "device_secret", isBound(tokens));
        }
    }

    /** Ends what came for nobody, when the provider can be told: nobody has asked for this end. */
    private void drop(Map<String, Object> tokens) {
        String kind = tokens.containsKey("refresh_token") ? "refresh_token" : "access_token";
        revoke((String) tokens.get(kind), kind, isBound(tokens));
    }

    private void revokeIfPossible(List<String> refreshTokens, boolean bound) {
        for (String token : refreshTokens) {
            revoke(token, "refresh_token", bound);
        }
    }

    private static boolean isBound(Map<String, Object> tokens) {
        return ((String) tokens.get("token_type")).equalsIgnoreCase("dpop");
    }

    /** What went wrong, or null. */
    private DrawbridgeException revoke(String token, String hint, boolean bound) {
        try {
            Object address = provider().get("revocation_endpoint");
            if (address == null) {
                return new DrawbridgeException("provider.endpoint", "revocation_endpoint");
            }
            Http answer = post((String) address, members("token", token, "token_type_hint", hint, "client_id", settings.clientId), null, bound);
            return answer.status == 200 ? null : failure(answer, "revocation");
        } catch (DrawbridgeException error) {
            return error;
        }
    }

    // What is kept

    private String item() {
        return "drawbridge:" + settings.clientId + ":" + issuer;
    }

    private String sharedItem() {
        return "drawbridge-shared:" + settings.sharing;
    }

    /** The lock of renewals: they may replace the device secret, which is that of all apps of the group (contract §5.4). */
    private String renewal() {
        return "renew " + (settings.sharing == null ? item() : sharedItem());
    }

    /** Keeps renewals of the maker's apps away from work with what they share; such a lock is not to be taken in it. */
    private Store.Lock sharing() throws DrawbridgeException {
        return settings.sharing == null ? null : stores(() -> settings.store.lock(renewal()));
    }

    private <T> T stores(Work<T> work) throws DrawbridgeException {
        try {
            return work.run();
        } catch (DrawbridgeException error) {
            throw error;
        } catch (Exception error) {
            // Its name alone: the text may hold what was to be kept.
            throw new DrawbridgeException("secret_store", error.getClass().getSimpleName());
        }
    }

    /** Work of a part that the app has brought; what it throws is named, and its text, which may hold secrets, is not. */
    private static <T> T hosted(String what, Work<T> work) throws DrawbridgeException {
        try {
            return work.run();
        } catch (DrawbridgeException error) {
            throw error;
        } catch (Exception error) {
            throw wrong(what + " failed: " + error.getClass().getSimpleName());
        }
    }

    private String read(String name) throws DrawbridgeException {
        return stores(() -> settings.store.get(name));
    }

    private void write(String name, String value) throws DrawbridgeException {
        stores(() -> {
            settings.store.set(name, value);
            return null;
        });
    }

    private void remove(String name) throws DrawbridgeException {
        stores(() -> {
            settings.store.remove(name);
            return null;
        });
    }

    /** An empty one when it is not an object. */
    private static Map<String, Object> object(String text) {
        try {
            return text == null ? Collections.emptyMap() : Json.object(text);
        } catch (Json.Malformed not) {
            return Collections.emptyMap();
        }
    }

    private Kept stored() throws DrawbridgeException {
        Map<String, Object> said = object(read(item()));
        if (!isText(said.get("access_token")) || !isText(said.get("subject")) || !isNumber(said.get("expires_at"))) {
            return null;
        }
        Kept kept = new Kept();
        kept.accessToken = (String) said.get("access_token");
        kept.refreshToken = isText(said.get("refresh_token")) ? (String) said.get("refresh_token") : null;
        kept.expiresAt = number(said.get("expires_at"));
        kept.subject = (String) said.get("subject");
        kept.bound = Boolean.TRUE.equals(said.get("bound"));
        kept.scope = isText(said.get("scope")) ? (String) said.get("scope") : null;
        kept.claims = claims(said.get("claims"), kept.subject);
        Object earlier = said.get("earlier");
        for (Object token : earlier instanceof List ? (List<?>) earlier : Collections.emptyList()) {
            if (isText(token)) {
                kept.earlier.add((String) token);
            }
        }
        return kept;
    }

    private static Map<String, Object> claims(Object kept, String subject) {
        Map<String, Object> claims = new LinkedHashMap<>();
        for (Map.Entry<?, ?> claim : kept instanceof Map ? ((Map<?, ?>) kept).entrySet() : Collections.<Map.Entry<?, ?>>emptySet()) {
            claims.put((String) claim.getKey(), claim.getValue());
        }
        return subject.equals(claims.get("sub")) ? claims : null;
    }

    /**
     * Keeps a new sign-in, not beside a renewal or a sign-out of the one before. That one goes on until the sign-out, since
     * pages on the web may have come of it: people sign in once more to prove who they are. Another person's ends now.
     */
    private void begin(Map<String, Object> tokens, Map<String, Object> claims) throws DrawbridgeException {
        Kept fresh = new Kept();
        fresh.claims = claims;
        Kept[] own = {null};
        List<String> before = new ArrayList<>();
        try (Store.Lock held = stores(() -> settings.store.lock(renewal()))) {
            // What cannot be read is replaced.
            tried(null, () -> own[0] = stored());
            if (own[0] != null) {
                before.addAll(own[0].refreshTokens());
                before.remove(tokens.get("refresh_token"));
                if (own[0].subject.equals(claims.get("sub"))) {
                    List<String> kept = before.subList(Math.max(0, before.size() - MOST_EARLIER), before.size());
                    fresh.earlier.addAll(kept);
                    kept.clear();
                }
            }
            keep(tokens, (String) claims.get("sub"), fresh);
        }
        revokeIfPossible(before, own[0] != null && own[0].bound);
    }

    private Kept keep(Map<String, Object> tokens, String subject, Kept before) throws DrawbridgeException {
        Object life = tokens.get("expires_in");
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("access_token", tokens.get("access_token"));
        own.put("refresh_token", tokens.getOrDefault("refresh_token", before.refreshToken));
        // Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
        own.put("expires_at", now() + (life == null ? 0 : (long) (1000 * Math.min(number(life), LONGEST_LIFE))));
        own.put("subject", subject);
        own.put("bound", isBound(tokens));
        // What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
        own.put("scope", isText(tokens.get("scope")) ? tokens.get("scope") : before.scope);
        // Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
        own.put("claims", before.claims);
        own.put("earlier", before.earlier);
        write(item(), Json.write(own));
        return stored();
    }

    /** What the apps of one maker share on one device: in one item, so that its two parts always belong together. */
    private Shared shared() throws DrawbridgeException {
        if (settings.sharing == null) {
            return null;
        }
        Map<String, Object> said = object(read(sharedItem()));
        if (!isText(said.get("device_secret")) || !isText(said.get("id_token"))) {
            return null;
        }
        Shared shared = new Shared();
        shared.deviceSecret = (String) said.get("device_secret");
        shared.idToken = (String) said.get("id_token");
        shared.parts = IdToken.of(shared.idToken);
        return shared.parts == null ? null : shared;
    }

    /** The same for whoever holds no lock: not what a renewal under way is about to replace. */
    private Shared currentShared() throws DrawbridgeException {
        try (Store.Lock held = sharing()) {
            return shared();
        }
    }

    private void share(String deviceSecret, String idToken) throws DrawbridgeException {
        if (settings.sharing != null) {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("device_secret", deviceSecret);
            both.put("id_token", idToken);
            write(sharedItem(), Json.write(both));
        }
    }

    /** Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one. */
    private void forgetShared(String deadSecret, Shared before) throws DrawbridgeException {
        Shared now = shared();
        if (now == null || !now.deviceSecret.equals(deadSecret)) {
            return;
        }
        if (before == null) {
            remove(sharedItem());
        } else {
            share(before.deviceSecret, before.idToken);
        }
    }

    private void needClient() throws DrawbridgeException {
        if (settings.clientId == null) {
            throw wrong("this needs the app's clientId");
        }
    }

    // The provider (OpenID Connect Discovery, RFC 8414)

    private Map<String, Object> provider() throws DrawbridgeException {
        if (metadata != null) {
            return metadata;
        }
        Http answer = send("GET", issuer + "/.well-known/openid-configuration", null, null, null, null, false);
        if (answer.status != 200) {
            throw failure(answer, "discovery");
        }
        Map<String, Object> said = object(answer.text);
        if (!isText(said.get("issuer"))) {
            throw new DrawbridgeException("provider.malformed", "description", null, null, answer.requestId(), null);
        }
        // Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if (!said.get("issuer").equals(issuer)) {
            throw new DrawbridgeException("provider.other_issuer");
        }
        Object methods = said.get("code_challenge_methods_supported");
        if (!(methods instanceof List) || !((List<?>) methods).contains("S256")) {
            throw new DrawbridgeException("provider.no_pkce");
        }
        List<String> names = new ArrayList<>(Arrays.asList("authorization_endpoint", "token_endpoint", "jwks_uri"));
        names.addAll(POSSIBLE);
        for (String name : names) {
            if (!said.containsKey(name) && POSSIBLE.contains(name)) {
                continue;
            }
            Address address = Address.of(said.get(name));
            if (address == null || address.isLoopback && !isLoopback) {
                throw new DrawbridgeException("provider.endpoint", name);
            }
        }
        metadata = said;
        return said;
    }

    /** An unknown id makes us look again, once: the provider may have changed its keys. */
    private Map<?, ?> providerKey(String kid) throws DrawbridgeException {
        Map<?, ?> found = find(kid);
        if (found != null) {
            return found;
        }
        readKeys();
        return find(kid);
    }

    /**
     * Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it with is
     * found out while nothing is lost.
     */
    private void needKeys() throws DrawbridgeException {
        if (keySet == null) {
            readKeys();
        }
    }

    private void readKeys() throws DrawbridgeException {
        Http answer = send("GET", (String) provider().get("jwks_uri"), null, null, null, null, false);
        if (answer.status != 200) {
            throw failure(answer, "the key set");
        }
        Object keys = object(answer.text).get("keys");
        if (!(keys instanceof List)) {
            throw new DrawbridgeException("provider.malformed", "key set", null, null, answer.requestId(), null);
        }
        keySet = (List<?>) keys;
    }

    private Map<?, ?> find(String kid) {
        List<?> known = keySet;
        for (Object key : known == null ? Collections.emptyList() : known) {
            if (key instanceof Map && kid.equals(((Map<?, ?>) key).get("kid"))) {
                return (Map<?, ?>) key;
            }
        }
        return null;
    }

    private Map<String, Object> token(Map<String, String> members) throws DrawbridgeException {
        members.put("client_id", settings.clientId);
        boolean isRenewal = "refresh_token".equals(members.get("grant_type"));
        int timeout = isRenewal ? Math.min(settings.timeout, LONGEST_RENEWAL) : settings.timeout;
        byte[] body = form(members).getBytes(StandardCharsets.US_ASCII);
        Http answer = send("POST", (String) provider().get("token_endpoint"), FORM, body, null, null, usesProofs(), timeout);
        if (isRenewal && isLost(answer)) {
            throw new DrawbridgeException("unreachable", "a proxy answered " + answer.status + " in its place");
        }
        if (answer.status != 200) {
            throw failure(answer, "the token endpoint");
        }
        Map<String, Object> tokens = object(answer.text);
        String type = String.valueOf(tokens.get("token_type")).toLowerCase(Locale.ROOT);
        Object life = tokens.get("expires_in");
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        boolean isWhole = isVisible(tokens.get("access_token")) && (type.equals("bearer") || usesProofs() && type.equals("dpop"))
            && (!tokens.containsKey("expires_in") || isNumber(life) && number(life) > 0);
        for (String name : Arrays.asList("refresh_token", "id_token", "device_secret")) {
            isWhole = isWhole && (!tokens.containsKey(name) || isText(tokens.get(name)));
        }
        if (!isWhole) {
            throw unexpected(answer, "the token endpoint's answer cannot be read");
        }
        return tokens;
    }

    // ID tokens (OpenID Connect Core §3.1.3.7, Native SSO §3.4)

    private Map<String, Object> verified(Map<String, Object> tokens, String nonce, Long maxAge, String subject, String deviceSecret)
        throws DrawbridgeException {
        if (!tokens.containsKey("id_token")) {
            throw new DrawbridgeException("id_token.missing");
        }
        IdToken token = IdToken.of((String) tokens.get("id_token"));
        if (token == null) {
            throw new DrawbridgeException("id_token.malformed");
        }
        Map<String, Object> claims = token.claims;
        // Settled here, not by the token: none and HS256 with a public key are the classic ways around a signature.
        expect("ES256".equals(token.header.get("alg")) && !token.header.containsKey("crit"), "algorithm");
        Map<?, ?> jwk = isText(token.header.get("kid")) ? providerKey((String) token.header.get("kid")) : null;
        PublicKey key = jwk == null ? null : IdToken.key(jwk);
        expect(key != null, "unknown_key");
        expect(token.isSignedBy(key), "signature");
        check(claims, tokens, false, nonce, maxAge, subject, deviceSecret);
        return claims;
    }

    /** Whether all of the ID token is right but the signature, and the times: this device's clock may be wrong. */
    private boolean fits(Map<String, Object> tokens, String subject, String deviceSecret) {
        IdToken token = IdToken.of((String) tokens.get("id_token"));
        if (token == null || !isText(token.header.get("kid"))) {
            return false;
        }
        try {
            check(token.claims, tokens, true, null, null, subject, deviceSecret);
            return true;
        } catch (DrawbridgeException flaw) {
            return false;
        }
    }

    /** Whether nothing is known against an ID token: its key is missing, or this device's clock does not fit. */
    private static boolean isInconclusive(DrawbridgeException error) {
        return !error.code.startsWith("id_token.")
            || Arrays.asList("id_token.unknown_key", "id_token.expired", "id_token.issued_in_future").contains(error.code);
    }

    private void check(Map<String, Object> claims, Map<String, Object> tokens, boolean anyTime, String nonce, Long maxAge,
        String subject, String deviceSecret) throws DrawbridgeException {
        double time = now() / 1000.0;
        List<String> audiences = IdToken.audiences(claims);
        boolean isParty = settings.clientId.equals(claims.get("azp"));
        expect(issuer.equals(claims.get("iss")), "issuer");
        expect(audiences.contains(settings.clientId) && (audiences.size() == 1 || isParty) && (isParty || !claims.containsKey("azp")), "audience");
        expect(anyTime || number(claims.get("exp")) > time - LEEWAY, "expired");
        expect(anyTime || number(claims.get("iat")) <= time + LEEWAY, "issued_in_future");
        expect(nonce == null || IdToken.same(claims.get("nonce"), nonce), "nonce");
        // The provider's word that it has done what max_age asked for.
        expect(maxAge == null || isNumber(claims.get("auth_time")) && number(claims.get("auth_time")) >= time - maxAge - LEEWAY, "auth_time");
        expect(subject == null || subject.equals(claims.get("sub")), "subject");
        expect(!claims.containsKey("at_hash") || IdToken.same(claims.get("at_hash"), IdToken.halfHash((String) tokens.get("access_token"))),
            "access_token_hash");
        // Without ds_hash the secret is tied to nothing, and somebody may have put in their own.
        expect(deviceSecret == null || IdToken.same(claims.get("ds_hash"), IdToken.halfHash(deviceSecret)), "device_secret_hash");
    }

    private static void expect(boolean holds, String flaw) throws DrawbridgeException {
        if (!holds) {
            throw new DrawbridgeException("id_token." + flaw);
        }
    }

    // Proof of possession (RFC 9449)

    private boolean usesProofs() {
        return settings.dpop || settings.proofKey != null;
    }

    private ProofKey proofKey() throws DrawbridgeException {
        ProofKey known = proofKey;
        if (known != null) {
            return known;
        }
        String name = (settings.sharing == null ? item() : sharedItem()) + ":key";
        try (Store.Lock held = stores(() -> settings.store.lock("key " + name))) {
            ProofKey key = SoftKey.of(read(name));
            if (key == null) {
                String made = stores(SoftKey::make);
                write(name, made);
                key = SoftKey.of(made);
            }
            proofKey = key;
            return key;
        }
    }

    private Map<String, Object> publicKey() throws DrawbridgeException {
        Map<String, Object> jwk = new LinkedHashMap<>();
        jwk.put("crv", "P-256");
        jwk.put("kty", "EC");
        ProofKey key = proofKey();
        jwk.put("x", hosted("the proof key", () -> IdToken.encode(key.x())));
        jwk.put("y", hosted("the proof key", () -> IdToken.encode(key.y())));
        return jwk;
    }

    /** RFC 7638. */
    private String thumbprint() throws DrawbridgeException {
        return IdToken.encode(IdToken.sha256(Json.write(publicKey())));
    }

    private String proof(String method, String address, String token) throws DrawbridgeException {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("typ", "dpop+jwt");
        header.put("alg", "ES256");
        header.put("jwk", publicKey());
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("jti", random(16));
        claims.put("htm", method);
        claims.put("htu", address.split("\\?", 2)[0]);
        claims.put("iat", now() / 1000);
        String nonce = nonces.get(Address.origin(address));
        if (nonce != null) {
            claims.put("nonce", nonce);
        }
        if (token != null) {
            claims.put("ath", IdToken.encode(IdToken.sha256(token)));
        }
        String text = IdToken.encode(Json.write(header).getBytes(StandardCharsets.UTF_8)) + "."
            + IdToken.encode(Json.write(claims).getBytes(StandardCharsets.UTF_8));
        ProofKey key = proofKey();
        byte[] signed = text.getBytes(StandardCharsets.US_ASCII);
        return text + "." + hosted("the proof key", () -> IdToken.encode(IdToken.raw(key.sign(signed))));
    }

    // HTTP

    private Http post(String address, Map<String, String> members, String accept, boolean proves) throws DrawbridgeException {
        byte[] body = form(members).getBytes(StandardCharsets.US_ASCII);
        return send("POST", address, FORM, body, accept, null, proves);
    }

    private Http send(String method, String address, String type, byte[] body, String accept, String token, boolean wishes)
        throws DrawbridgeException {
        return send(method, address, type, body, accept, token, wishes, settings.timeout);
    }

    private Http send(String method, String address, String type, byte[] body, String accept, String token, boolean wishes,
        int timeout) throws DrawbridgeException {
        boolean proves = usesProofs() && wishes;
        Http answer = sendOnce(method, address, type, body, accept, token, proves, timeout);
        // A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
        boolean again = proves && answer.status >= 400 && answer.headers.containsKey("dpop-nonce")
            && "use_dpop_nonce".equals(isText(object(answer.text).get("error")) ? object(answer.text).get("error") : challenge(answer));
        return again ? sendOnce(method, address, type, body, accept, token, proves, timeout) : answer;
    }

    private Http sendOnce(String method, String address, String type, byte[] body, String accept, String token, boolean proves,
        int timeout) throws DrawbridgeException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", accept == null ? "application/json" : accept);
        if (token != null) {
            headers.put("Authorization", (proves ? "DPoP " : "Bearer ") + token);
        }
        if (proves) {
            headers.put("DPoP", proof(method, address, token));
        }
        if (type != null) {
            headers.put("Content-Type", type);
        }
        String place = method + " " + address.split("\\?", 2)[0];
        Http answer;
        try {
            answer = Http.send(method, address, headers, body, timeout, settings.timeout);
        } catch (DrawbridgeException error) {
            log(place + ": " + error.code);
            throw error;
        }
        log(place + ": " + answer.status);
        if (answer.status >= 300 && answer.status < 400) {
            throw unexpected(answer, "a redirect, which is never followed");
        }
        String nonce = answer.headers.getOrDefault("dpop-nonce", "");
        if (nonce.matches("[!-~]{1,1024}")) {
            nonces.put(Address.origin(address), nonce);
        }
        return answer;
    }

    private void log(String line) {
        try {
            settings.logger.accept(line);
        } catch (RuntimeException failed) {
            // It changes nothing: where would it be told?
        }
    }

    private static String challenge(Http answer) {
        return challenge(answer, "error", 64);
    }

    /** What {@code WWW-Authenticate} says under this name, or null. */
    private static String challenge(Http answer, String name, int longest) {
        Matcher said = Pattern.compile("\\b" + name + "=\"([^\"]{1," + longest + "})\"")
            .matcher(answer.headers.getOrDefault("www-authenticate", ""));
        return said.find() ? said.group(1) : null;
    }

    private DrawbridgeException failure(Http answer, String what) {
        Map<String, Object> body = object(answer.text);
        Object said = body.get("request_id");
        // Every answer has it in its header, a refusal's body besides (contract §11).
        String requestId = Http.isRequestId(said) ? (String) said : answer.requestId();
        String page = page(body.get("error_uri"));
        if (Arrays.asList(429, 502, 503, 504).contains(answer.status)) {
            Long seconds = wait(answer.headers.get("retry-after"));
            return new DrawbridgeException("come_back_later", null, null, seconds, requestId, page);
        }
        if (answer.status >= 400 && answer.status < 500) {
            String challenge = challenge(answer);
            String error = isText(body.get("error")) ? (String) body.get("error")
                : challenge == null && answer.status == 401 ? "invalid_token" : challenge;
            if (error != null) {
                Object description = isText(body.get("error")) ? body.get("error_description") : null;
                // How strong and how fresh a sign-in would do (RFC 9470 §3).
                String levels = challenge(answer, "acr_values", 1024);
                String age = challenge(answer, "max_age", 9);
                return DrawbridgeException.refused(error, description, requestId, page,
                    levels == null || levels.trim().isEmpty() ? null : Arrays.asList(levels.trim().split(" +")),
                    age != null && age.matches("[0-9]+") ? Long.valueOf(age) : null);
            }
        }
        return new DrawbridgeException("unexpected_answer", what + " answered " + answer.status, null, null, requestId, page);
    }

    /**
     * Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
     * (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11).
     */
    private static boolean isLost(Http answer) {
        return answer.status == 502 || answer.status == 504
            || answer.status == 503 && !"temporarily_unavailable".equals(object(answer.text).get("error"));
    }

    private static DrawbridgeException unexpected(Http answer, String what) {
        return new DrawbridgeException("unexpected_answer", what, null, null, answer.requestId(), null);
    }

    /** A page of the provider itself, for people to open; null for any other address. */
    private String page(Object text) {
        Address page = Address.of(text);
        boolean isOurs = page != null && page.host.equals(Address.of(issuer).host) && (isLoopback || !page.isLoopback);
        return isOurs ? page.text : null;
    }

    /** Seconds of Retry-After, which is a number or a date (RFC 9110 §10.2.3). */
    private Long wait(String text) {
        if (text == null) {
            return null;
        }
        if (text.matches("[0-9]{1,9}")) {
            return Long.valueOf(text);
        }
        try {
            long date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli();
            return Math.max(0, (long) Math.ceil((date - now()) / 1000.0));
        } catch (DateTimeParseException not) {
            return null;
        }
    }

    // What needs nothing of the client

    private long now() {
        return settings.now.getAsLong();
    }

    private static DrawbridgeException wrong(String text) {
        return new DrawbridgeException("configuration", text);
    }

    static boolean isText(Object value) {
        return value instanceof String && !((String) value).isEmpty();
    }

    /** What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12). */
    private static boolean isVisible(Object value) {
        return value instanceof String && ((String) value).matches("[!-~]+");
    }

    private static boolean isLoginCode(Object value) {
        return value instanceof String && ((String) value).matches("[0-9]{6}");
    }

    static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Double && !((Double) value).isInfinite();
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static String random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return IdToken.encode(bytes);
    }

    /** Names and values in turn; those without a value are left out. */
    private static Map<String, String> members(String... pairs) {
        Map<String, String> found = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] != null) {
                found.put(pairs[i], pairs[i + 1]);
            }
        }
        return found;
    }

    private static String form(Map<String, String> members) {
        List<String> pairs = new ArrayList<>();
        for (Map.Entry<String, String> member : members.entrySet()) {
            pairs.add(escape(member.getKey()) + "=" + escape(member.getValue()));
        }
        return String.join("&", pairs);
    }

    private static String escape(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
            out.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }

    /** The parameters of a query, or null when an escape is broken. */
    private static Map<String, List<String>> parameters(String query) {
        Map<String, List<String>> found = new HashMap<>();
        for (String pair : query.split("&")) {
            String[] parts = pair.split("=", 2);
            String name = unescape(parts[0]);
            String value = unescape(parts.length > 1 ? parts[1] : "");
            if (name == null || value == null) {
                return null;
            }
            if (!pair.isEmpty()) {
                found.computeIfAbsent(name, none -> new ArrayList<>()).add(value);
            }
        }
        return found;
    }

    private static String unescape(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (i + 3 > text.length() || !text.substring(i + 1, i + 3).matches("[0-9A-Fa-f]{2}")) {
                    return null;
                }
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                i += 2;
            } else if (c < 128) {
                bytes.write(c == '+' ? ' ' : c);
            } else {
                byte[] own = String.valueOf(c).getBytes(StandardCharsets.UTF_8);
                bytes.write(own, 0, own.length);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException not) {
            return null;
        }
    }

    private static boolean isCookie(Object value) {
        if (!(value instanceof Map)) {
            return false;
        }
        Map<?, ?> cookie = (Map<?, ?>) value;
        for (String name : Arrays.asList("name", "path", "same_site", "expires")) {
            if (!isText(cookie.get(name))) {
                return false;
            }
        }
        try {
            Instant.parse((String) cookie.get("expires"));
        } catch (DateTimeParseException not) {
            return false;
        }
        return cookie.get("value") instanceof String && cookie.get("http_only") instanceof Boolean
            && (cookie.get("domain") == null || isText(cookie.get("domain")));
    }

    /** Whether a browser would send the cookie to this host (RFC 6265 §5.1.3). */
    private static boolean reaches(Map<?, ?> cookie, String host, String origin) {
        if (!isText(cookie.get("domain"))) {
            return host.equals(isText(cookie.get("host")) ? cookie.get("host") : origin);
        }
        String name = ((String) cookie.get("domain")).replaceFirst("^\\.", "").toLowerCase(Locale.ROOT);
        // The provider may set cookies for its own domain, and for no other; an address has no domain above it.
        for (String one : Arrays.asList(host, origin)) {
            if (!one.equals(name) && (!one.endsWith("." + name) || one.matches("[0-9.]+|\\[.*"))) {
                return false;
            }
        }
        return true;
    }
}
