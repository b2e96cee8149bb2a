package drawbridge.client;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** One cookie for a web view of {@link #url}; prints without its value. */
public final class WebViewCookie {
    public final String name;
    public final String value;
    /** Null: the host of {@link #url} alone. */
    public final String domain;
    public final String path;
    public final String expires;
    public final boolean httpOnly;
    public final String sameSite;
    public final String url;

    WebViewCookie(Map<?, ?> given, String url) {
        this.name = (String) given.get("name");
        this.value = (String) given.get("value");
        this.domain = (String) given.get("domain");
        this.path = (String) given.get("path");
        this.expires = (String) given.get("expires");
        this.httpOnly = (Boolean) given.get("http_only");
        this.sameSite = (String) given.get("same_site");
        this.url = url;
    }

    /** Whether an answer's member describes a cookie. */
    static boolean isOne(Object value) {
        if (!(value instanceof Map)) {
            return false;
        }
        Map<?, ?> cookie = (Map<?, ?>) value;
        for (String name : Arrays.asList("name", "path", "same_site", "expires")) {
            if (!Values.isText(cookie.get(name))) {
                return false;
            }
        }
        try {
            Instant.parse((String) cookie.get("expires"));
        } catch (DateTimeParseException not) {
            return false;
        }
        return cookie.get("value") instanceof String && cookie.get("http_only") instanceof Boolean
            && (cookie.get("domain") == null || Values.isText(cookie.get("domain")));
    }

    /** Whether a browser would send the cookie to this host (RFC 6265 §5.1.3). */
    static boolean reaches(Map<?, ?> cookie, String host, String origin) {
        if (!Values.isText(cookie.get("domain"))) {
            return host.equals(Values.isText(cookie.get("host")) ? cookie.get("host") : origin);
        }
        String name = ((String) cookie.get("domain")).replaceFirst("^\\.", "").toLowerCase(Locale.ROOT);
        // The provider may set cookies for its own domain, and for no other; an address has no domain above it.
        for (String one : Arrays.asList(host, origin)) {
            if (!one.equals(name) && (!one.endsWith("." + name) || one.matches("[0-9.]+|\\[.*"))) {
                return false;
            }
        }
        return true;
    }

    /** As a {@code Set-Cookie} field has it, which is what Android's {@code CookieManager} takes. */
    public String header() {
        StringBuilder line = new StringBuilder(name + "=" + value + "; Path=" + path);
        if (domain != null) {
            line.append("; Domain=").append(domain);
        }
        line.append("; Expires=").append(DateTimeFormatter.RFC_1123_DATE_TIME.format(OffsetDateTime.parse(expires).withOffsetSameInstant(ZoneOffset.UTC)));
        line.append("; Secure; SameSite=").append(sameSite).append(httpOnly ? "; HttpOnly" : "");
        // A value with a semicolon would be attributes of its own.
        if ((name + value + path + domain + sameSite).matches("(?s).*[;\\x00-\\x1f\\x7f].*")) {
            throw new IllegalStateException("a cookie that is not one");
        }
        return line.toString();
    }

    @Override
    public String toString() {
        return "<cookie " + name + ">";
    }
}
