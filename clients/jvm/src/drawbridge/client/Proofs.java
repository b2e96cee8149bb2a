package drawbridge.client;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Proof of possession (RFC 9449): the key, and what it signs for each request. */
final class Proofs {
    private final Settings settings;
    private final Items items;
    /** What each origin wants in the next proof. */
    private final Map<String, String> nonces = new ConcurrentHashMap<>();
    private volatile ProofKey proofKey;

    Proofs(Settings settings, Items items) {
        this.settings = settings;
        this.items = items;
        this.proofKey = settings.proofKey;
    }

    void remember(String address, String nonce) {
        nonces.put(Address.origin(address), nonce);
    }

    private ProofKey proofKey() throws DrawbridgeException {
        ProofKey known = proofKey;
        if (known != null) {
            return known;
        }
        String name = items.key();
        try (Store.Lock held = items.lock("key " + name)) {
            ProofKey key = SoftKey.of(items.read(name));
            if (key == null) {
                String made = AppPart.stores(SoftKey::make);
                items.write(name, made);
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
        jwk.put("x", AppPart.hosted("the proof key", () -> Codec.encode(key.x())));
        jwk.put("y", AppPart.hosted("the proof key", () -> Codec.encode(key.y())));
        return jwk;
    }

    /** RFC 7638. */
    String thumbprint() throws DrawbridgeException {
        return Codec.encode(Codec.sha256(Json.write(publicKey())));
    }

    String of(String method, String address, String token) throws DrawbridgeException {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("typ", "dpop+jwt");
        header.put("alg", "ES256");
        header.put("jwk", publicKey());
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("jti", Codec.random(16));
        claims.put("htm", method);
        claims.put("htu", address.split("\\?", 2)[0]);
        claims.put("iat", settings.now.getAsLong() / 1000);
        String nonce = nonces.get(Address.origin(address));
        if (nonce != null) {
            claims.put("nonce", nonce);
        }
        if (token != null) {
            claims.put("ath", Codec.encode(Codec.sha256(token)));
        }
        String text = Codec.encode(Json.write(header).getBytes(StandardCharsets.UTF_8)) + "."
            + Codec.encode(Json.write(claims).getBytes(StandardCharsets.UTF_8));
        ProofKey key = proofKey();
        byte[] signed = text.getBytes(StandardCharsets.US_ASCII);
        return text + "." + AppPart.hosted("the proof key", () -> Codec.encode(P256.raw(key.sign(signed))));
    }
}
