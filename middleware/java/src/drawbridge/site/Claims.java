package drawbridge.site;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the claims of Drawbridge's tokens must be. */
final class Claims {
    private final Settings settings;

    Claims(Settings settings) {
        this.settings = settings;
    }

    /** @param accepted of which one must be the audience */
    void check(Map<String, Object> claims, List<String> accepted, long time) throws Refused {
        if (!settings.issuer.equals(claims.get("iss"))) {
            throw new Refused("issuer");
        }
        Object audiences = claims.get("aud");
        List<?> all = audiences instanceof List ? (List<?>) audiences : Collections.singletonList(audiences);
        if (Collections.disjoint(all, accepted)) {
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

    static boolean isTime(Object value) {
        return value instanceof Long && (Long) value >= 0 && (Long) value < 1L << 53;
    }
}
