package drawbridge.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** From the app onto the web (contract §3). */
final class LoginLinks {
    private final Core core;

    LoginLinks(Core core) {
        this.core = core;
    }

    LoginLink open(String path, String bearer, String website, boolean inHeader) throws DrawbridgeException {
        Map<String, Object> wish = new LinkedHashMap<>();
        if (path != null) {
            wish.put("redirect", path);
        }
        if (website != null) {
            wish.put("client_id", website);
        }
        if (bearer != null && !Values.isVisible(bearer)) {
            throw DrawbridgeException.wrong("the bearer is empty or not a token");
        }
        byte[] body = Json.write(wish).getBytes(StandardCharsets.UTF_8);
        if (bearer != null) {
            return link(ask(body, bearer, false), inHeader);
        }
        return link(core.renewal.withToken(own -> ask(body, own.accessToken, own.bound)), inHeader);
    }

    private Http ask(byte[] body, String token, boolean proves) throws DrawbridgeException {
        Http answer = core.transport.send("POST", core.issuer.text + "/api/auth/create-sso-token", "application/json", body,
            null, token, proves);
        if (answer.status != 200) {
            throw core.failures.of(answer, "the login token endpoint");
        }
        return answer;
    }

    private LoginLink link(Http given, boolean inHeader) throws DrawbridgeException {
        Map<String, Object> answer = Values.object(given.text);
        Address target = Address.of(answer.get("login_url"));
        Object life = answer.get("expires_in");
        if (target == null || target.isLoopback && !core.issuer.isLoopback
            || !Values.isNumber(life) || Values.number(life) <= 0) {
            throw Failures.unexpected(given, "it holds no login address to be trusted");
        }
        long end = core.settings.now.getAsLong() + Values.milliseconds(life);
        Object code = answer.get("login_code");
        if (code != null && !isLoginCode(code)) {
            throw Failures.unexpected(given, "its login code is not six digits");
        }
        if (!inHeader) {
            return new LoginLink(target.text, Collections.emptyMap(), end, (String) code);
        }
        Object token = answer.get("token");
        if (!Values.isVisible(token)) {
            throw Failures.unexpected(given, "it holds no token for the header");
        }
        String[] parts = target.text.split("\\?", 2);
        List<String> rest = new ArrayList<>();
        for (String pair : parts.length > 1 ? parts[1].split("&") : new String[0]) {
            if (!pair.isEmpty() && !pair.startsWith("token=")) {
                rest.add(pair);
            }
        }
        String url = rest.isEmpty() ? parts[0] : parts[0] + "?" + String.join("&", rest);
        if (url.contains((String) token)) {
            throw Failures.unexpected(given, "the token is in the path");
        }
        return new LoginLink(url, Collections.singletonMap("Drawbridge-Login-Token", (String) token), end, (String) code);
    }

    private static boolean isLoginCode(Object value) {
        return value instanceof String && ((String) value).matches("[0-9]{6}");
    }
}
