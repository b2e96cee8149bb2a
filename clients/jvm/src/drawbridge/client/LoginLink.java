package drawbridge.client;

import java.util.Collections;
import java.util.Map;

/** An address that signs a browser in, once, for at most a minute. Prints as {@code <login link>}. */
public final class LoginLink {
    private final String url;
    private final Map<String, String> headers;
    private final long expiresAt;
    private final String code;

    LoginLink(String url, Map<String, String> headers, long expiresAt, String code) {
        this.url = url;
        this.headers = Collections.unmodifiableMap(headers);
        this.expiresAt = expiresAt;
        this.code = code;
    }

    /** What to open, at once. Never log, copy or share it. */
    public String url() {
        return url;
    }

    /** To be sent with the first request: empty, or the token when it is not to be in the address. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Until when it works, in milliseconds since 1970 by this device's clock. */
    public long expiresAt() {
        return expiresAt;
    }

    /**
     * Six digits to show to the person, who types them into the page; null where the website asks for none. Never send
     * them along with the link.
     */
    public String code() {
        return code;
    }

    @Override
    public String toString() {
        return "<login link>";
    }
}
