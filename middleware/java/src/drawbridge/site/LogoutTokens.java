package drawbridge.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tokens of OpenID Connect Back-Channel Logout 1.0, §2.6. */
final class LogoutTokens {
    private static final String LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

    private final Settings settings;
    private final Keys keys;
    private final Claims claims;

    LogoutTokens(Settings settings, Keys keys, Claims claims) {
        this.settings = settings;
        this.keys = keys;
        this.claims = claims;
    }

    Map<String, Object> claims(String form, long time) throws Refused, Unavailable {
        List<String> tokens = new ArrayList<>();
        for (String pair : form.split("&")) {
            if (pair.startsWith("logout_token=")) {
                // A token has no character that a form would encode.
                tokens.add(pair.substring("logout_token=".length()));
            }
        }
        if (tokens.size() != 1) {
            // Another part of the website has read an empty body before, which can be mended; a 4xx would be final.
            throw new Refused("malformed", !form.isEmpty());
        }
        Map<String, Object> said = keys.verified(tokens.get(0), "logout+jwt", settings.logoutAlgorithms, time);
        claims.check(said, settings.ours(), time);
        Object events = said.get("events");
        Object event = events instanceof Map ? ((Map<?, ?>) events).get(LOGOUT_EVENT) : null;
        if (!(event instanceof Map) || said.containsKey("nonce")
            || !Texts.isText(said.get("sid")) || !Texts.isText(said.get("jti"))) {
            throw new Refused("claims");
        }
        return said;
    }
}
