package drawbridge.site;

import java.util.ArrayList;
import java.util.List;

/** What the website answers instead of its page. Headers are pairs. */
public final class Answer {
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

    static Answer said(int status, String word) {
        return new Answer(status, "{\"result\":\"" + word + "\"}", "Content-Type", "application/json", "Cache-Control", "no-store");
    }

    static Answer away() {
        return new Answer(503, "", "Retry-After", "5", "Cache-Control", "no-store");
    }
}
