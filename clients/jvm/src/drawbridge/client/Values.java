package drawbridge.client;

import java.util.Collections;
import java.util.Map;

/** What the members of an answer or of a kept text may be. */
final class Values {
    /** Seconds that an answer can give anything to live: what is more would run over as milliseconds. */
    private static final double LONGEST_LIFE = 1e9;

    private Values() {
    }

    /** An empty one when it is not an object. */
    static Map<String, Object> object(String text) {
        try {
            return text == null ? Collections.emptyMap() : Json.object(text);
        } catch (Json.Malformed not) {
            return Collections.emptyMap();
        }
    }

    static boolean isText(Object value) {
        return value instanceof String && !((String) value).isEmpty();
    }

    /** What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12). */
    static boolean isVisible(Object value) {
        return value instanceof String && ((String) value).matches("[!-~]+");
    }

    static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Double && !((Double) value).isInfinite();
    }

    static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    /** Of a life that an answer gives in seconds. */
    static long milliseconds(Object life) {
        return (long) (1000 * Math.min(number(life), LONGEST_LIFE));
    }
}
