package drawbridge.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON (RFC 8259) as Map, List, String, Long, Double, Boolean and null. Strict, and no deeper than 64. */
final class Json {
    /** Not JSON, or not what was asked for. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    public static Object read(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at != text.length()) {
            throw json.wrong();
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(String text) throws Malformed {
        Object value = read(text);
        if (!(value instanceof Map)) {
            throw new Malformed("not an object");
        }
        return (Map<String, Object>) value;
    }

    /** Of Map, List, String, Number, Boolean and null. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            char before = '{';
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                write(String.valueOf(entry.getKey()), out);
                out.append(':');
                write(entry.getValue(), out);
                before = ',';
            }
            out.append(before == '{' ? "{}" : "}");
        } else if (value instanceof Iterable) {
            char before = '[';
            for (Object item : (Iterable<?>) value) {
                out.append(before);
                write(item, out);
                before = ',';
            }
            out.append(before == '[' ? "[]" : "]");
        } else if (value instanceof String) {
            out.append('"');
            for (char c : ((String) value).toCharArray()) {
                if (c == '"' || c == '\\') {
                    out.append('\\').append(c);
                } else if (c < 0x20) {
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append(c);
                }
            }
            out.append('"');
        } else {
            out.append(value);
        }
    }

    private Malformed wrong() {
        // Never what stands there: it may be a secret.
        return new Malformed("not JSON at character " + at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char c) {
        space();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private Object value(int depth) throws Malformed {
        if (depth > 64) {
            throw wrong();
        }
        if (skip('{')) {
            return members(depth);
        }
        if (skip('[')) {
            List<Object> items = new ArrayList<>();
            if (skip(']')) {
                return items;
            }
            do {
                items.add(value(depth + 1));
            } while (skip(','));
            if (!skip(']')) {
                throw wrong();
            }
            return items;
        }
        if (skip('"')) {
            return string();
        }
        for (Object[] word : new Object[][] {{"true", true}, {"false", false}, {"null", null}}) {
            if (text.startsWith((String) word[0], at)) {
                at += ((String) word[0]).length();
                return word[1];
            }
        }
        return number();
    }

    private Map<String, Object> members(int depth) throws Malformed {
        Map<String, Object> members = new LinkedHashMap<>();
        if (skip('}')) {
            return members;
        }
        do {
            if (!skip('"')) {
                throw wrong();
            }
            String name = string();
            if (!skip(':')) {
                throw wrong();
            }
            members.put(name, value(depth + 1));
        } while (skip(','));
        if (!skip('}')) {
            throw wrong();
        }
        return members;
    }

    private String string() throws Malformed {
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            if (c < 0x20) {
                break;
            }
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (at == text.length()) {
                break;
            }
            char escape = text.charAt(at++);
            int plain = "\"\\/bfnrt".indexOf(escape);
            if (plain >= 0) {
                out.append("\"\\/\b\f\n\r\t".charAt(plain));
            } else if (escape == 'u' && at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9A-Fa-f]{4}")) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                break;
            }
        }
        throw wrong();
    }

    private Object number() throws Malformed {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        if (digits.length() > 64 || !digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw wrong();
        }
        if (digits.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(digits);
        }
        return Double.valueOf(digits);
    }
}
