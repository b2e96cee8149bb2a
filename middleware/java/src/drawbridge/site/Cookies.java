package drawbridge.site;

import java.util.ArrayList;
import java.util.List;

/** Drawbridge's cookies of a request, to be sent on to it. */
final class Cookies {
    private Cookies() {
    }

    /**
     * Drawbridge's own cookies of the request, as one field. Two of a name count as none (contract §6): a website beside ours
     * can plant a token, and must not keep the session's cookie from being heard.
     */
    static String own(Request request, String... names) throws Refused {
        List<String> pairs = new ArrayList<>();
        boolean isRepeated = false;
        for (String name : names) {
            List<String> values = request.cookies(name);
            isRepeated = isRepeated || values.size() > 1;
            if (values.size() == 1 && isWhole(values.get(0))) {
                pairs.add(name + "=" + values.get(0));
            }
        }
        if (pairs.isEmpty() && isRepeated) {
            throw new Refused("repeated");
        }
        return String.join("; ", pairs);
    }

    /**
     * Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one
     * visitor sends would count as an outage for all.
     */
    static boolean isWhole(String value) {
        return value.length() <= 8192 && value.matches("[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]++");
    }
}
