package drawbridge.site;

import drawbridge.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A signed notice, docs/webhooks.md. */
final class SignedNotices {
    private SignedNotices() {
    }

    static Map<String, Object> event(Settings settings, byte[] body, String signature, long time) throws Refused {
        if (body.length > 65536) {
            throw new Refused("too_large");
        }
        List<String> times = new ArrayList<>();
        List<String> codes = new ArrayList<>();
        for (String part : signature.split(",")) {
            if (part.startsWith("t=")) {
                times.add(part.substring(2));
            } else if (part.startsWith("v1=")) {
                codes.add(part.substring(3));
            }
        }
        if (times.size() != 1 || !times.get(0).matches("[0-9]{1,12}")) {
            throw new Refused("signature");
        }
        boolean holds = false;
        for (String secret : settings.webhookSecrets) {
            String expected = code(secret, times.get(0), body);
            for (String code : codes) {
                // All are compared, so that the time does not tell which one fits.
                holds = Texts.same(code, expected) | holds;
            }
        }
        if (!holds) {
            throw new Refused("signature");
        }
        if (Math.abs(time - Long.parseLong(times.get(0))) > 300) {
            throw new Refused("stale");
        }
        Map<String, Object> event;
        try {
            event = Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
        } catch (Json.Malformed | CharacterCodingException not) {
            throw new Refused("malformed");
        }
        if (!Texts.isText(event.get("id")) || !Texts.isText(event.get("type"))) {
            throw new Refused("malformed");
        }
        if (settings.clientId != null && !settings.ours().contains(event.get("client_id"))) {
            throw new Refused("client");
        }
        return event;
    }

    private static String code(String secret, String time, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.US_ASCII));
            StringBuilder out = new StringBuilder();
            for (byte b : mac.doFinal(body)) {
                out.append(String.format("%02x", b));
            }
            return out.toString();
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }
}
