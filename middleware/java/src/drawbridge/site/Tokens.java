package drawbridge.site;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Who is signed in by an access token. */
final class Tokens {
    private final Settings settings;
    private final LongSupplier now;
    private final Keys keys;
    private final Claims claims;
    private final EndedSessions ended;

    Tokens(Settings settings, LongSupplier now, Keys keys, Claims claims, EndedSessions ended) {
        this.settings = settings;
        this.now = now;
        this.keys = keys;
        this.claims = claims;
        this.ended = ended;
    }

    User user(Request request) throws Refused, Unavailable {
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
    User userOf(String accessToken) throws Refused, Unavailable {
        long time = now.getAsLong();
        Map<String, Object> said = keys.verified(accessToken, "at+jwt", Keys.ALGORITHMS, time);
        claims.check(said, Collections.singletonList(settings.audience == null ? settings.issuer : settings.audience), time);
        Object client = said.get("client_id");
        if (client == null || !settings.ours().contains(client)) {
            throw new Refused("client");
        }
        // One that is bound to a key is no cookie's (RFC 9449 §7).
        if (said.containsKey("cnf")) {
            throw new Refused("bound");
        }
        Object subject = said.get("sub");
        Object session = said.get("sid");
        Object acr = said.get("acr");
        Object authTime = said.get("auth_time");
        List<String> amr = Texts.list(said.get("amr"));
        // A machine's token has no session, and is nobody's.
        if (!Texts.isText(subject) || !Texts.isText(session) || acr != null && !Texts.isText(acr)
            || authTime != null && !Claims.isTime(authTime) || amr == null) {
            throw new Refused("claims");
        }
        ended.refuse((String) session, (Long) said.get("iat"), settings.leeway);
        return new User((String) subject, (String) session, (String) acr, amr, (Long) authTime, User.Identity.NONE);
    }
}
