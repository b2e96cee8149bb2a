package drawbridge.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** What is asked of a request. Headers are pairs; the target is path and query, not decoded. */
public final class Request {
    private static final Pattern TARGET = Pattern.compile("/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]{0,2047}");
    /** Of a cookie that is taken away. */
    private static final int LONGEST_PATH = 100;

    final String method;
    final String target;
    final List<String[]> headers;
    final String peer;
    /** Whether the server has put an address there that the request itself says, such as that of X-Forwarded-For. */
    final boolean peerIsClaimed;

    public Request(String method, String target, List<String[]> headers, String peer) {
        this(method, target, headers, peer, false);
    }

    Request(String method, String target, List<String[]> headers, String peer, boolean peerIsClaimed) {
        this.peerIsClaimed = peerIsClaimed;
        this.method = method;
        this.target = target;
        this.headers = headers;
        this.peer = peer;
    }

    List<String> values(String name) {
        List<String> found = new ArrayList<>();
        for (String[] pair : headers) {
            if (pair[0].equalsIgnoreCase(name)) {
                found.add(pair[1]);
            }
        }
        return found;
    }

    List<String> cookies(String name) {
        List<String> found = new ArrayList<>();
        for (String line : values("Cookie")) {
            for (String pair : line.split(";")) {
                String trimmed = trimmed(pair);
                if (trimmed.startsWith(name + "=")) {
                    found.add(trimmed.substring(name.length() + 1));
                }
            }
        }
        return found;
    }

    /** Without spaces and tabs at both ends. A regular expression would begin anew at each space of a long row. */
    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && " \t".indexOf(text.charAt(start)) >= 0) {
            start++;
        }
        while (end > start && " \t".indexOf(text.charAt(end - 1)) >= 0) {
            end--;
        }
        return text.substring(start, end);
    }

    /** Whether somebody looks: a script has no use for a sign-in page. */
    boolean isPage() {
        return (method.equals("GET") || method.equals("HEAD")) && isNavigation();
    }

    /** Whether somebody sends a form, and looks at what comes back. */
    boolean isForm() {
        return method.equals("POST") && isNavigation();
    }

    private boolean isNavigation() {
        String mode = String.join(",", values("Sec-Fetch-Mode"));
        String destination = String.join(",", values("Sec-Fetch-Dest"));
        if (!mode.isEmpty() || !destination.isEmpty()) {
            return mode.equals("navigate") && destination.equals("document");
        }
        return String.join(",", values("Accept")).toLowerCase(Locale.ROOT).contains("text/html");
    }

    /** The paths of cookies that a browser sends to this target (RFC 6265 §5.1.4), the shortest first. */
    List<String> cookiePaths() {
        List<String> paths = new ArrayList<>();
        paths.add("/");
        String path = isReturnTarget() ? target.split("\\?", 2)[0] : "";
        for (int end = 2; end <= Math.min(path.length(), LONGEST_PATH); end++) {
            if (path.charAt(end - 1) == ';') {
                break;
            }
            // Both /a and /a/ are paths of cookies that /a/b gets.
            if (end == path.length() || path.charAt(end) == '/' || path.charAt(end - 1) == '/') {
                paths.add(path.substring(0, end));
            }
        }
        return paths;
    }

    /** A path of this website; not //elsewhere nor /\elsewhere, which browsers read as another host. */
    boolean isReturnTarget() {
        return TARGET.matcher(target).matches();
    }
}
