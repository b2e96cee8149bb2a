package drawbridge.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The form encoding of requests and queries. */
final class Form {
    static final String TYPE = "application/x-www-form-urlencoded";

    private Form() {
    }

    /** Names and values in turn; those without a value are left out. */
    static Map<String, String> members(String... pairs) {
        Map<String, String> found = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] != null) {
                found.put(pairs[i], pairs[i + 1]);
            }
        }
        return found;
    }

    static String text(Map<String, String> members) {
        List<String> pairs = new ArrayList<>();
        for (Map.Entry<String, String> member : members.entrySet()) {
            pairs.add(escape(member.getKey()) + "=" + escape(member.getValue()));
        }
        return String.join("&", pairs);
    }

    private static String escape(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
            out.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }

    /** The parameters of a query, or null when an escape is broken. */
    static Map<String, List<String>> parameters(String query) {
        Map<String, List<String>> found = new HashMap<>();
        for (String pair : query.split("&")) {
            String[] parts = pair.split("=", 2);
            String name = unescape(parts[0]);
            String value = unescape(parts.length > 1 ? parts[1] : "");
            if (name == null || value == null) {
                return null;
            }
            if (!pair.isEmpty()) {
                found.computeIfAbsent(name, none -> new ArrayList<>()).add(value);
            }
        }
        return found;
    }

    private static String unescape(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (i + 3 > text.length() || !text.substring(i + 1, i + 3).matches("[0-9A-Fa-f]{2}")) {
                    return null;
                }
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                i += 2;
            } else if (c < 128) {
                bytes.write(c == '+' ? ' ' : c);
            } else {
                byte[] own = String.valueOf(c).getBytes(StandardCharsets.UTF_8);
                bytes.write(own, 0, own.length);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException not) {
            return null;
        }
    }
}
