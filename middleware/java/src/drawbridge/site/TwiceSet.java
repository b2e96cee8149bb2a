package drawbridge.site;

import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Cookies that came twice, and how they are taken away. */
final class TwiceSet {
    /**
     * Bytes of Set-Cookie that take cookies away that came twice: an answer's header fields have to fit a proxy's buffer,
     * which is 4096 bytes by nginx's default.
     */
    private static final int MOST_TAKING = 2048;
    /** To a browser a cookie with it is another one than that without, of the same name, domain and path. */
    private static final String PARTITIONED = "; Partitioned";

    private TwiceSet() {
    }

    /**
     * Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back here
     * for ever.
     */
    static void take(Settings settings, Request request, Answer answer) {
        List<String> places = new ArrayList<>();
        for (String path : request.cookiePaths()) {
            places.add("Path=" + path);
            for (String domain : cookieDomains(URI.create(settings.origin).getHost())) {
                places.add("Path=" + path + "; Domain=" + domain);
            }
        }
        int room = MOST_TAKING;
        for (String name : Arrays.asList(Site.SESSION_COOKIE, settings.cookie)) {
            if (request.cookies(name).size() < 2) {
                continue;
            }
            // Browsers refuse every other line about a name of this kind.
            for (String place : name.startsWith("__Host-") ? Collections.singletonList("Path=/") : places) {
                String line = name + "=; Max-Age=0; " + place + "; Secure; HttpOnly";
                room -= 2 * line.length() + PARTITIONED.length();
                if (room < 0) {
                    return;
                }
                answer.headers.add(new String[] {"Set-Cookie", line});
                answer.headers.add(new String[] {"Set-Cookie", line + PARTITIONED});
            }
        }
    }

    /** Those for which a website beside this one can set a cookie that comes here. */
    private static List<String> cookieDomains(String host) {
        List<String> domains = new ArrayList<>();
        boolean isAddress = host.matches("(?s).*(\\.[0-9]+|\\])");
        for (int dot = -1; !isAddress && host.indexOf('.', dot + 1) >= 0; dot = host.indexOf('.', dot + 1)) {
            domains.add(host.substring(dot + 1));
        }
        return domains;
    }
}
