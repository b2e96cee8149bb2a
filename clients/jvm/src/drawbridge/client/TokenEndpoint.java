package drawbridge.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** The token endpoint (RFC 6749 §3.2). */
final class TokenEndpoint {
    static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
    static final String ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
    static final String DEVICE_SECRET = "urn:openid:params:token-type:device-secret";
    static final String EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
    /**
     * Milliseconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for
     * 10 s and is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
     */
    private static final int LONGEST_RENEWAL = 6_000;

    private final Settings settings;
    private final Transport transport;
    private final Provider provider;
    private final Failures failures;

    TokenEndpoint(Settings settings, Transport transport, Provider provider, Failures failures) {
        this.settings = settings;
        this.transport = transport;
        this.provider = provider;
        this.failures = failures;
    }

    /** The tokens of a grant; what cannot be used is an error. */
    Map<String, Object> get(Map<String, String> members) throws DrawbridgeException {
        members.put("client_id", settings.clientId);
        boolean isRenewal = "refresh_token".equals(members.get("grant_type"));
        int timeout = isRenewal ? Math.min(settings.timeout, LONGEST_RENEWAL) : settings.timeout;
        byte[] body = Form.text(members).getBytes(StandardCharsets.US_ASCII);
        String address = (String) provider.metadata().get("token_endpoint");
        Http answer = transport.send("POST", address, Form.TYPE, body, null, null, settings.usesProofs(), timeout);
        if (isRenewal && Failures.isLost(answer)) {
            throw new DrawbridgeException("unreachable", "a proxy answered " + answer.status + " in its place");
        }
        if (answer.status != 200) {
            throw failures.of(answer, "the token endpoint");
        }
        Map<String, Object> tokens = Values.object(answer.text);
        String type = String.valueOf(tokens.get("token_type")).toLowerCase(Locale.ROOT);
        Object life = tokens.get("expires_in");
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        boolean isWhole = Values.isVisible(tokens.get("access_token"))
            && (type.equals("bearer") || settings.usesProofs() && type.equals("dpop"))
            && (!tokens.containsKey("expires_in") || Values.isNumber(life) && Values.number(life) > 0);
        for (String name : Arrays.asList("refresh_token", "id_token", "device_secret")) {
            isWhole = isWhole && (!tokens.containsKey(name) || Values.isText(tokens.get(name)));
        }
        if (!isWhole) {
            throw Failures.unexpected(answer, "the token endpoint's answer cannot be read");
        }
        return tokens;
    }
}
