package drawbridge.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** This app's sign-in in the store. */
final class OwnItem {
    private final Settings settings;
    private final Items items;

    OwnItem(Settings settings, Items items) {
        this.settings = settings;
        this.items = items;
    }

    /** Null when there is none. */
    OwnSignIn read() throws DrawbridgeException {
        Map<String, Object> said = Values.object(items.read(items.own()));
        if (!Values.isText(said.get("access_token")) || !Values.isText(said.get("subject"))
            || !Values.isNumber(said.get("expires_at"))) {
            return null;
        }
        OwnSignIn kept = new OwnSignIn();
        kept.accessToken = (String) said.get("access_token");
        kept.refreshToken = Values.isText(said.get("refresh_token")) ? (String) said.get("refresh_token") : null;
        kept.expiresAt = Values.number(said.get("expires_at"));
        kept.subject = (String) said.get("subject");
        kept.bound = Boolean.TRUE.equals(said.get("bound"));
        kept.scope = Values.isText(said.get("scope")) ? (String) said.get("scope") : null;
        kept.claims = claims(said.get("claims"), kept.subject);
        Object earlier = said.get("earlier");
        for (Object token : earlier instanceof List ? (List<?>) earlier : Collections.emptyList()) {
            if (Values.isText(token)) {
                kept.earlier.add((String) token);
            }
        }
        return kept;
    }

    private static Map<String, Object> claims(Object kept, String subject) {
        Map<String, Object> claims = new LinkedHashMap<>();
        Map<?, ?> all = kept instanceof Map ? (Map<?, ?>) kept : Collections.emptyMap();
        for (Map.Entry<?, ?> claim : all.entrySet()) {
            claims.put((String) claim.getKey(), claim.getValue());
        }
        return subject.equals(claims.get("sub")) ? claims : null;
    }

    /** @param before of which is kept what the tokens do not say */
    OwnSignIn write(Map<String, Object> tokens, String subject, OwnSignIn before) throws DrawbridgeException {
        Object life = tokens.get("expires_in");
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("access_token", tokens.get("access_token"));
        own.put("refresh_token", tokens.getOrDefault("refresh_token", before.refreshToken));
        // Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
        own.put("expires_at", settings.now.getAsLong() + (life == null ? 0 : Values.milliseconds(life)));
        own.put("subject", subject);
        own.put("bound", Revocation.isBound(tokens));
        // What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
        own.put("scope", Values.isText(tokens.get("scope")) ? tokens.get("scope") : before.scope);
        // Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
        own.put("claims", before.claims);
        own.put("earlier", before.earlier);
        items.write(items.own(), Json.write(own));
        return read();
    }

    void remove() throws DrawbridgeException {
        items.remove(items.own());
    }
}
