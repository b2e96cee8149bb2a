package drawbridge.site;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** One website: who is signed in, what a page demands, what Drawbridge tells its server. Keep one for the process. */
public final class Site {
    /** Of this library, semantic. */
    public static final String VERSION = "0.2.0";
    public static final String SESSION_COOKIE = "__Host-drawbridge_session";
    /** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
    public static final String SIGN_OUT_FORM =
        "<form method=\"post\" action=\"/session/logout\"><button>Sign out</button></form>";
    /** Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself. */
    private static final String QUESTION_FIELD = "Drawbridge-Question";

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
    private final LongSupplier now;
    /** Milliseconds for one question to Drawbridge. */
    long patience = 3000;
    private final Proxy proxy;
    private final Tokens tokens;
    private final Questions questions;
    private final Demand demand;
    private final Notices notices;

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
        List<Object[]> networks = this.settings.checked();
        this.now = now;
        Drawbridge plain = drawbridge == null ? this::ask : drawbridge;
        Drawbridge marking = (path, headers) -> {
            Map<String, String> marked = new LinkedHashMap<>(headers);
            marked.put(QUESTION_FIELD, "1");
            return plain.get(path, marked);
        };
        Drawbridge patient = new Outage(marking, now);
        // Without Outage: they remember themselves when they were asked for in vain, and for longer.
        Keys keys = new Keys(marking, now);
        Claims claims = new Claims(this.settings);
        EndedSessions endings = new EndedSessions(ended, now);
        this.proxy = new Proxy(this.settings, networks, endings);
        this.tokens = new Tokens(this.settings, now, keys, claims, endings);
        this.questions = new Questions(this.settings, patient);
        this.demand = new Demand(this.settings, patient);
        this.notices = new Notices(this.settings, now, new LogoutTokens(this.settings, keys, claims), endings, notices);
    }

    public Identity identify(Request request) throws Unavailable {
        if (!request.values(QUESTION_FIELD).isEmpty()) {
            throw new Unavailable("this website is asked in place of Drawbridge");
        }
        try {
            switch (settings.source) {
                case PROXY:
                    return new Identity(proxy.user(request), null);
                case COOKIE:
                    return new Identity(fromCookie(request), null);
                default:
                    return new Identity(fromSession(request), null);
            }
        } catch (Refused refusal) {
            return new Identity(null, refusal.getMessage());
        }
    }

    private User fromCookie(Request request) throws Refused, Unavailable {
        try {
            return tokens.user(request);
        } catch (Refused refusal) {
            // A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out
            // stays beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
            List<String> secrets = request.cookies(SESSION_COOKIE);
            if (secrets.size() != 1 || !Cookies.isWhole(secrets.get(0))) {
                throw refusal;
            }
            try {
                return questions.user(SESSION_COOKIE + "=" + secrets.get(0));
            } catch (Refused second) {
                throw refusal;
            }
        }
    }

    private User fromSession(Request request) throws Refused, Unavailable {
        String cookie = Cookies.own(request, SESSION_COOKIE, settings.cookie);
        if (cookie.isEmpty()) {
            throw new Refused("missing");
        }
        return questions.user(cookie);
    }

    /** The user of an access token of this website. */
    public User userOf(String accessToken) throws Refused, Unavailable {
        return tokens.userOf(accessToken);
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
                return new Decision(null, demand.signIn(request));
            }
            boolean isFresh = maxAge == null || user.authTime != null && now.getAsLong() - user.authTime <= maxAge;
            if ((acr.isEmpty() || Demand.isStrongEnough(user.acr, acr)) && isFresh) {
                return new Decision(user, null);
            }
            return demand.stepUp(request, user, acr, maxAge);
        } catch (Unavailable away) {
            return new Decision(null, Answer.away());
        } catch (Refused refusal) {
            return new Decision(null, Answer.refusal("Bearer", "invalid_token"));
        }
    }

    /**
     * A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again.
     *
     * @throws IllegalArgumentException without {@code webhookSecrets}: a 400 would lay the website's own fault to the notice
     */
    public Answer webhook(byte[] body, String signature, Handler handler) throws Exception {
        return notices.webhook(body, signature, handler);
    }

    /**
     * OpenID Connect Back-Channel Logout 1.0, §2.6. {@code form} is the body of the POST.
     *
     * @throws IllegalArgumentException without {@code issuer} and {@code clientId}: after a 400 the token would never come again
     */
    public Answer backchannelLogout(byte[] form, Handler handler) throws Exception {
        return notices.backchannelLogout(form, handler);
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
