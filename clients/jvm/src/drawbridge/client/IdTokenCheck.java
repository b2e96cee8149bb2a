package drawbridge.client;

import java.security.PublicKey;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What an ID token must be to be believed (OpenID Connect Core §3.1.3.7, Native SSO §3.4). */
final class IdTokenCheck {
    /** How far two clocks may be apart, in seconds. */
    private static final long LEEWAY = 120;

    private final Settings settings;
    private final Address issuer;
    private final Provider provider;

    IdTokenCheck(Settings settings, Address issuer, Provider provider) {
        this.settings = settings;
        this.issuer = issuer;
        this.provider = provider;
    }

    /** The claims. What is null of the last four is not asked for. */
    Map<String, Object> verified(Map<String, Object> tokens, String nonce, Long maxAge, String subject, String deviceSecret)
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
        Map<?, ?> jwk = Values.isText(token.header.get("kid")) ? provider.key((String) token.header.get("kid")) : null;
        PublicKey key = jwk == null ? null : P256.key(jwk);
        expect(key != null, "unknown_key");
        expect(token.isSignedBy(key), "signature");
        check(claims, tokens, false, nonce, maxAge, subject, deviceSecret);
        return claims;
    }

    /** Whether all of the ID token is right but the signature, and the times: this device's clock may be wrong. */
    boolean fits(Map<String, Object> tokens, String subject, String deviceSecret) {
        IdToken token = IdToken.of((String) tokens.get("id_token"));
        if (token == null || !Values.isText(token.header.get("kid"))) {
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
    static boolean isInconclusive(DrawbridgeException error) {
        return !error.code.startsWith("id_token.")
            || Arrays.asList("id_token.unknown_key", "id_token.expired", "id_token.issued_in_future").contains(error.code);
    }

    private void check(Map<String, Object> claims, Map<String, Object> tokens, boolean anyTime, String nonce, Long maxAge,
        String subject, String deviceSecret) throws DrawbridgeException {
        double time = settings.now.getAsLong() / 1000.0;
        List<String> audiences = IdToken.audiences(claims);
        boolean isParty = settings.clientId.equals(claims.get("azp"));
        expect(issuer.text.equals(claims.get("iss")), "issuer");
        expect(audiences.contains(settings.clientId) && (audiences.size() == 1 || isParty)
            && (isParty || !claims.containsKey("azp")), "audience");
        expect(anyTime || Values.number(claims.get("exp")) > time - LEEWAY, "expired");
        expect(anyTime || Values.number(claims.get("iat")) <= time + LEEWAY, "issued_in_future");
        expect(nonce == null || Codec.same(claims.get("nonce"), nonce), "nonce");
        // The provider's word that it has done what max_age asked for.
        expect(maxAge == null || Values.isNumber(claims.get("auth_time"))
            && Values.number(claims.get("auth_time")) >= time - maxAge - LEEWAY, "auth_time");
        expect(subject == null || subject.equals(claims.get("sub")), "subject");
        expect(!claims.containsKey("at_hash")
            || Codec.same(claims.get("at_hash"), Codec.halfHash((String) tokens.get("access_token"))), "access_token_hash");
        // Without ds_hash the secret is tied to nothing, and somebody may have put in their own.
        expect(deviceSecret == null || Codec.same(claims.get("ds_hash"), Codec.halfHash(deviceSecret)), "device_secret_hash");
    }

    private static void expect(boolean holds, String flaw) throws DrawbridgeException {
        if (!holds) {
            throw new DrawbridgeException("id_token." + flaw);
        }
    }
}
