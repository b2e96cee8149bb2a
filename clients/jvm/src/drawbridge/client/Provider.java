package drawbridge.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the provider says of itself (OpenID Connect Discovery, RFC 8414), and its keys. */
final class Provider {
    private static final List<String> POSSIBLE =
        Arrays.asList("userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint");

    private final Address issuer;
    private final Transport transport;
    private final Failures failures;
    private volatile Map<String, Object> metadata;
    /** Null before it was read. */
    private volatile List<?> keySet;

    Provider(Address issuer, Transport transport, Failures failures) {
        this.issuer = issuer;
        this.transport = transport;
        this.failures = failures;
    }

    Map<String, Object> metadata() throws DrawbridgeException {
        if (metadata != null) {
            return metadata;
        }
        Http answer = transport.send("GET", issuer.text + "/.well-known/openid-configuration", null, null, null, null, false);
        if (answer.status != 200) {
            throw failures.of(answer, "discovery");
        }
        Map<String, Object> said = Values.object(answer.text);
        if (!Values.isText(said.get("issuer"))) {
            throw new DrawbridgeException("provider.malformed", "description", null, null, answer.requestId(), null);
        }
        // Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if (!said.get("issuer").equals(issuer.text)) {
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
            if (address == null || address.isLoopback && !issuer.isLoopback) {
                throw new DrawbridgeException("provider.endpoint", name);
            }
        }
        metadata = said;
        return said;
    }

    /** An unknown id makes us look again, once: the provider may have changed its keys. */
    Map<?, ?> key(String kid) throws DrawbridgeException {
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
    void needKeys() throws DrawbridgeException {
        if (keySet == null) {
            readKeys();
        }
    }

    private void readKeys() throws DrawbridgeException {
        Http answer = transport.send("GET", (String) metadata().get("jwks_uri"), null, null, null, null, false);
        if (answer.status != 200) {
            throw failures.of(answer, "the key set");
        }
        Object keys = Values.object(answer.text).get("keys");
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
}
