package drawbridge.site;

import java.util.ArrayList;
import java.util.List;

/** What the website answers instead of its page. Headers are pairs. */
public final class Answer {
    /**
     * What a person reads whose form came without a sign-in, up to its address and after it. No script and no style: a
     * website's own policy may forbid them.
     */
    private static final String[] UNSENT = {
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
            + "<title>Not signed in</title>\n<h1>You are not signed in</h1>\n<p>What you sent was not accepted. <a href=\"",
        "\" target=\"_blank\" rel=\"noopener\">Sign in</a> (this opens a new tab), then come back to this tab, go back to the "
            + "form and send it again.</p>\n"};

    public final int status;
    public final List<String[]> headers = new ArrayList<>();
    public final String body;

    Answer(int status, String body, String... headers) {
        this.status = status;
        this.body = body;
        for (int i = 0; i < headers.length; i += 2) {
            this.headers.add(new String[] {headers[i], headers[i + 1]});
        }
    }

    public String header(String name) {
        for (String[] pair : headers) {
            if (pair[0].equalsIgnoreCase(name)) {
                return pair[1];
            }
        }
        return null;
    }

    static Answer refusal(String challenge, String error) {
        return new Answer(401, "{\"error\":\"" + error + "\"}", "WWW-Authenticate", challenge, "Cache-Control", "no-store",
            "Content-Type", "application/json");
    }

    /** Of a form: a redirect would lose what somebody has typed, so the way to the sign-in is beside it. */
    static Answer unsent(String signIn) {
        return new Answer(401, UNSENT[0] + Texts.escaped(signIn) + UNSENT[1], "WWW-Authenticate", "Bearer",
            "Cache-Control", "no-store", "Content-Type", "text/html; charset=utf-8");
    }

    static Answer said(int status, String word) {
        return new Answer(status, "{\"result\":\"" + word + "\"}", "Content-Type", "application/json", "Cache-Control", "no-store");
    }

    static Answer away() {
        return new Answer(503, "", "Retry-After", "5", "Cache-Control", "no-store");
    }
}
