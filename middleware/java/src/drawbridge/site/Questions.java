package drawbridge.site;

import drawbridge.json.Json;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Whom Drawbridge knows by its own cookies. */
final class Questions {
    private final Settings settings;
    private final Drawbridge drawbridge;

    Questions(Settings settings, Drawbridge drawbridge) {
        this.settings = settings;
        this.drawbridge = drawbridge;
    }

    /** @param cookie the field that Drawbridge gets */
    User user(String cookie) throws Refused, Unavailable {
        Drawbridge.Reply reply = drawbridge.get("/session", Collections.singletonMap("Cookie", cookie));
        Map<String, Object> said;
        try {
            said = reply.status == 200 ? Json.object(reply.body) : null;
        } catch (Json.Malformed not) {
            said = null;
        }
        if (said == null) {
            throw new Unavailable("/session answers with something else");
        }
        if (!Boolean.TRUE.equals(said.get("authenticated"))) {
            throw new Refused("missing");
        }
        List<String> amr = Texts.list(said.get("amr"));
        if (!Texts.isText(said.get("sub")) || said.get("acr") != null && !Texts.isText(said.get("acr")) || amr == null) {
            throw new Unavailable("/session answers with something else");
        }
        Long authTime = null;
        try {
            Object time = said.get("auth_time");
            authTime = time instanceof String ? Instant.parse((String) time).getEpochSecond() : null;
        } catch (DateTimeParseException unknown) {
            // Nobody says when, so nothing that asks for it is met.
        }
        String subject = (String) said.get("sub");
        User.Identity identity = settings.identity.isEmpty() ? User.Identity.NONE : askedIdentity(cookie, subject);
        return new User(subject, null, (String) said.get("acr"), amr, authTime, identity);
    }

    private User.Identity askedIdentity(String cookie, String subject) throws Refused, Unavailable {
        Drawbridge.Reply reply = drawbridge.get(
            "/auth/check?identity=" + String.join(",", settings.identity), Collections.singletonMap("Cookie", cookie));
        // It ended since the first question.
        if (reply.status == 401) {
            throw new Refused("missing");
        }
        Request said = new Request("GET", "/", reply.headers, "");
        try {
            if (reply.status == 200 && subject.equals(Fields.text(said, "X-Auth-Subject"))) {
                return Fields.identity(settings, said);
            }
        } catch (Refused malformed) {
            // Said below.
        }
        throw new Unavailable("/auth/check answers with something else");
    }
}
