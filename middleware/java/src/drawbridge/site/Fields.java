package drawbridge.site;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The X-Auth-* of /auth/check. */
final class Fields {
    private Fields() {
    }

    /** Null where it is missing or empty. */
    static String text(Request request, String name) throws Refused {
        List<String> values = request.values(name);
        if (values.isEmpty() || values.equals(Collections.singletonList(""))) {
            return null;
        }
        // Servers join repeated fields with a comma, so a comma may be a second voice.
        if (values.size() > 1 || values.get(0).contains(",")) {
            throw new Refused("repeated");
        }
        String text = decoded(values.get(0));
        if (!Texts.isText(text)) {
            throw new Refused("malformed");
        }
        return text;
    }

    /** Commas are between the texts; within one they are encoded. */
    static List<String> list(Request request, String name) throws Refused {
        List<String> values = request.values(name);
        if (values.isEmpty() || values.equals(Collections.singletonList(""))) {
            return Collections.emptyList();
        }
        if (values.size() > 1) {
            throw new Refused("repeated");
        }
        List<String> texts = new ArrayList<>();
        for (String value : values.get(0).split(",", -1)) {
            String text = decoded(value);
            if (!Texts.isText(text)) {
                throw new Refused("malformed");
            }
            texts.add(text);
        }
        return Collections.unmodifiableList(texts);
    }

    /** As far as the setting wants it. What it does not want, a proxy need not take away from visitors. */
    static User.Identity identity(Settings settings, Request said) throws Refused {
        return new User.Identity(
            settings.identity.contains("name") ? text(said, "X-Auth-Name") : null,
            settings.identity.contains("email") ? text(said, "X-Auth-Email") : null,
            settings.identity.contains("groups") ? list(said, "X-Auth-Groups") : Collections.emptyList());
    }

    /** Drawbridge percent-encodes whatever is not visible ASCII. Null when it cannot be. */
    private static String decoded(String value) {
        if (!value.matches("(?:[\\x21-\\x24\\x26-\\x7e]|%[0-9A-Fa-f]{2})*+")) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) == '%') {
                bytes.write(Integer.parseInt(value.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(value.charAt(i));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException not) {
            return null;
        }
    }
}
