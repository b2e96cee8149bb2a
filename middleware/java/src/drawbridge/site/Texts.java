package drawbridge.site;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Texts that others send, and secrets among them. */
final class Texts {
    private Texts() {
    }

    static boolean isText(Object value) {
        return value instanceof String && !((String) value).isEmpty() && ((String) value).length() <= 1024;
    }

    /** Null when it is no list of texts. */
    static List<String> list(Object value) {
        List<String> found = new ArrayList<>();
        if (value != null && !(value instanceof List)) {
            return null;
        }
        for (Object item : value == null ? Collections.emptyList() : (List<?>) value) {
            if (!(item instanceof String)) {
                return null;
            }
            found.add((String) item);
        }
        return found;
    }

    /** In a time that tells neither where nor how long. */
    static boolean same(String one, String other) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] first = digest.digest(one.getBytes(StandardCharsets.UTF_8));
            return MessageDigest.isEqual(first, digest.digest(other.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }

    /** As an attribute's value in HTML. */
    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        for (char c : text.toCharArray()) {
            out.append("&<>\"'".indexOf(c) >= 0 ? "&#" + (int) c + ";" : String.valueOf(c));
        }
        return out.toString();
    }

    /** All but RFC 3986's unreserved characters. */
    static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
            out.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }
}
