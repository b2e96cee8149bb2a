package drawbridge.client;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Requests to the provider, with a proof where tokens are bound to a key. */
final class Transport {
    private final Settings settings;
    private final Proofs proofs;

    Transport(Settings settings, Proofs proofs) {
        this.settings = settings;
        this.proofs = proofs;
    }

    Http post(String address, Map<String, String> members, String accept, boolean proves) throws DrawbridgeException {
        byte[] body = Form.text(members).getBytes(StandardCharsets.US_ASCII);
        return send("POST", address, Form.TYPE, body, accept, null, proves);
    }

    Http send(String method, String address, String type, byte[] body, String accept, String token, boolean wishes)
        throws DrawbridgeException {
        return send(method, address, type, body, accept, token, wishes, settings.timeout);
    }

    Http send(String method, String address, String type, byte[] body, String accept, String token, boolean wishes,
        int timeout) throws DrawbridgeException {
        boolean proves = settings.usesProofs() && wishes;
        Http answer = sendOnce(method, address, type, body, accept, token, proves, timeout);
        // A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
        return proves && wantsNonce(answer) ? sendOnce(method, address, type, body, accept, token, proves, timeout) : answer;
    }

    private static boolean wantsNonce(Http answer) {
        if (answer.status < 400 || !answer.headers.containsKey("dpop-nonce")) {
            return false;
        }
        Object error = Values.object(answer.text).get("error");
        return "use_dpop_nonce".equals(Values.isText(error) ? error : Failures.challenge(answer));
    }

    private Http sendOnce(String method, String address, String type, byte[] body, String accept, String token, boolean proves,
        int timeout) throws DrawbridgeException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", accept == null ? "application/json" : accept);
        if (token != null) {
            headers.put("Authorization", (proves ? "DPoP " : "Bearer ") + token);
        }
        if (proves) {
            headers.put("DPoP", proofs.of(method, address, token));
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
            throw Failures.unexpected(answer, "a redirect, which is never followed");
        }
        String nonce = answer.headers.getOrDefault("dpop-nonce", "");
        if (nonce.matches("[!-~]{1,1024}")) {
            proofs.remember(address, nonce);
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
}
