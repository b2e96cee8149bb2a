package drawbridge.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a page demands of its visitor, and the answers on the way there. */
final class Demand {
    private static final String SIGN_OUT = "/session/logout";

    private final Settings settings;
    private final Drawbridge drawbridge;

    Demand(Settings settings, Drawbridge drawbridge) {
        this.settings = settings;
        this.drawbridge = drawbridge;
    }

    /** As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself. */
    static boolean isStrongEnough(String acr, List<String> wanted) {
        // Some lists throw when they are asked for null.
        return acr != null && (wanted.contains(acr) || acr.equals("aal2") && wanted.contains("aal1"));
    }

    /** The answer for whoever is not signed in. */
    Answer signIn(Request request) {
        if (!request.isPage() && !request.isForm()) {
            return Answer.refusal("Bearer", "invalid_token");
        }
        String wanted = request.isReturnTarget() ? "?redirect=" + Texts.encoded(request.target) : "";
        Answer answer = request.isForm() ? Answer.unsent(settings.signIn)
            : new Answer(303, "", "Location", settings.signIn + wanted, "Cache-Control", "no-store", "Vary", "Cookie");
        if (settings.source != Settings.Source.PROXY) {
            TwiceSet.take(settings, request, answer);
        }
        return answer;
    }

    /** Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than. */
    Site.Decision stepUp(Request request, User user, List<String> acr, Long maxAge) throws Unavailable, Refused {
        StringBuilder challenge = new StringBuilder("Bearer error=\"insufficient_user_authentication\"");
        List<String> query = new ArrayList<>();
        if (!acr.isEmpty()) {
            challenge.append(", acr_values=\"").append(String.join(" ", acr)).append('"');
            query.add("acr=" + Texts.encoded(String.join(" ", acr)));
        }
        if (maxAge != null) {
            challenge.append(", max_age=\"").append(maxAge).append('"');
            query.add("max_age=" + maxAge);
        }
        Site.Decision no = new Site.Decision(null, Answer.refusal(challenge.toString(), "insufficient_user_authentication"));
        // Cookies are not the proxy's word: two of a name change nothing.
        if (settings.source == Settings.Source.PROXY) {
            return no;
        }
        // Whom the session's cookie named, it alone is asked about.
        String cookie = settings.source == Settings.Source.COOKIE && user.session == null
            ? Cookies.own(request, Site.SESSION_COOKIE) : Cookies.own(request, Site.SESSION_COOKIE, settings.cookie);
        if (cookie.isEmpty()) {
            return no;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Cookie", cookie);
        if (request.isPage()) {
            query.add("redirect=" + (request.isReturnTarget() ? Texts.encoded(request.target) : ""));
            headers.put("Accept", "text/html");
            headers.put("Sec-Fetch-Mode", "navigate");
            headers.put("Sec-Fetch-Dest", "document");
        }
        Drawbridge.Reply reply = drawbridge.get("/auth/check?" + String.join("&", query), headers);
        Answer passed = passed(reply);
        if (reply.status == 200) {
            if (user.subject.equals(named(reply))) {
                return new Site.Decision(user, null);
            }
            // Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
            return !request.isPage() ? no
                : new Site.Decision(null, new Answer(303, "", "Location", SIGN_OUT, "Cache-Control", "no-store"));
        }
        if (reply.status == 302 && passed.header("Location") != null) {
            passed.headers.add(new String[] {"Cache-Control", "no-store"});
            return new Site.Decision(null, passed);
        }
        if (reply.status == 401 || reply.status == 403) {
            return no;
        }
        throw new Unavailable("/auth/check answers " + reply.status);
    }

    /** A redirect of Drawbridge's, as the browser gets it. */
    private static Answer passed(Drawbridge.Reply reply) {
        Answer passed = new Answer(303, "");
        for (String[] pair : reply.headers) {
            String name = pair[0].toLowerCase(Locale.ROOT);
            if (name.equals("location") || name.equals("set-cookie")) {
                passed.headers.add(pair);
            }
        }
        return passed;
    }

    /** The user of an answer of /auth/check. One that names nobody is not Drawbridge's. */
    private static String named(Drawbridge.Reply reply) throws Unavailable {
        try {
            String subject = Fields.text(new Request("GET", "/", reply.headers, ""), "X-Auth-Subject");
            if (subject != null) {
                return subject;
            }
        } catch (Refused malformed) {
            // Said below.
        }
        throw new Unavailable("/auth/check answers with something else");
    }
}
