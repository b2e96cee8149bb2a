package drawbridge.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the browser brings back to the app. */
final class BrowserAnswer {
    private BrowserAnswer() {
    }

    /** The code in what the browser brought back, once every check of RFC 8252 and RFC 9207 has passed. */
    static String code(String address, String redirect, String state, Map<String, Object> provider, String issuer)
        throws DrawbridgeException {
        String[] parts = address.split("\\?", 2);
        String[] expected = redirect.split("\\?", 2);
        if (!parts[0].equals(expected[0])
            || expected.length > 1 && !keepsQuery(expected[1], parts.length < 2 ? "" : parts[1])) {
            throw new DrawbridgeException("answer.other_address");
        }
        Map<String, List<String>> found = parts.length < 2 || parts[1].contains("#") ? null : Form.parameters(parts[1]);
        if (found == null) {
            throw new DrawbridgeException("answer.malformed");
        }
        String said = single(found, "state");
        if (said == null || !Codec.same(said, state)) {
            throw new DrawbridgeException("answer.foreign_state");
        }
        // Before anything else is read: an answer of another provider must not even make us show its error.
        String from = single(found, "iss");
        boolean isNeeded = Boolean.TRUE.equals(provider.get("authorization_response_iss_parameter_supported"));
        if (from == null ? isNeeded : !from.equals(issuer)) {
            throw new DrawbridgeException("answer.other_issuer");
        }
        String code = single(found, "code");
        String error = single(found, "error");
        if (error != null) {
            if (code != null || error.isEmpty()) {
                throw new DrawbridgeException("answer.no_code");
            }
            String description = single(found, "error_description");
            // Whoever gives another reason than the person's own no is heard: there may be something to do about it.
            if (error.equals("access_denied") && (description == null || description.equals("the user declined"))) {
                throw new DrawbridgeException("cancelled");
            }
            throw DrawbridgeException.refused(error, description, null, null, null, null);
        }
        if (code == null || code.isEmpty()) {
            throw new DrawbridgeException("answer.no_code");
        }
        return code;
    }

    /** Whether the redirect address's own query came back: the answer is appended to it (RFC 6749 §3.1.2, RFC 8252 §8.10). */
    private static boolean keepsQuery(String own, String query) {
        return own.isEmpty() || (query + "&").startsWith(own.endsWith("&") ? own : own + "&");
    }

    private static String single(Map<String, List<String>> found, String name) throws DrawbridgeException {
        List<String> values = found.getOrDefault(name, Collections.emptyList());
        if (values.size() > 1) {
            throw new DrawbridgeException("answer.malformed");
        }
        return values.isEmpty() ? null : values.get(0);
    }
}
