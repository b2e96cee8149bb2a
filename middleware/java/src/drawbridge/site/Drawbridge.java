package drawbridge.site;

import java.util.List;
import java.util.Map;

/** Asks Drawbridge. */
public interface Drawbridge {
    Reply get(String path, Map<String, String> headers) throws Unavailable;

    /** A whole answer. Headers are pairs. */
    final class Reply {
        final int status;
        final List<String[]> headers;
        final String body;

        public Reply(int status, List<String[]> headers, String body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }
    }
}
