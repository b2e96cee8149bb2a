package drawbridge.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An address that secrets may be sent to. The odd ones are refused before any parser sees them. */
final class Address {
    private static final Pattern FORM = Pattern.compile(
        "(https?)://(\\[[0-9a-f:.]+]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::([1-9][0-9]{0,4}))?(?=[/?]|\\z)[!$-./0-;=?A-Z\\[\\]_a-z~]*");

    final String text;
    final String host;
    final boolean isLoopback;

    private Address(String text, String host, boolean isLoopback) {
        this.text = text;
        this.host = host;
        this.isLoopback = isLoopback;
    }

    /** Null when it is none. */
    static Address of(Object value) {
        if (!(value instanceof String) || ((String) value).length() > 2048) {
            return null;
        }
        Matcher found = FORM.matcher((String) value);
        if (!found.matches() || found.group(3) != null && Integer.parseInt(found.group(3)) > 65535) {
            return null;
        }
        String host = found.group(2).toLowerCase(Locale.ROOT);
        boolean isLoopback = found.group(1).equals("http");
        if (isLoopback && !Arrays.asList("127.0.0.1", "[::1]", "localhost").contains(host)) {
            return null;
        }
        return new Address((String) value, host, isLoopback);
    }

    /** Whether {@link URI}, by which it is asked, would find no host in it. */
    static boolean hasNoHost(String text) {
        try {
            return new URI(text).getHost() == null;
        } catch (URISyntaxException no) {
            return true;
        }
    }

    /** {@code com.example.app:/callback}: a domain turned round, then one slash (RFC 8252 §7.1). */
    static boolean isPrivateUse(String text) {
        return text != null && text.matches("[a-z0-9-]+(\\.[a-z0-9-]+)+:/(?!/)[!-~]*") && !text.contains("#");
    }

    static String origin(String address) {
        String[] parts = address.split("/", 4);
        return String.join("/", Arrays.copyOf(parts, Math.min(3, parts.length)));
    }
}
