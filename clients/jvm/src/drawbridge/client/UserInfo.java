package drawbridge.client;

import java.util.Map;

/** Who is signed in, as the provider knows them (OpenID Connect Core §5.3). */
final class UserInfo {
    private final Core core;

    UserInfo(Core core) {
        this.core = core;
    }

    Map<String, Object> person() throws DrawbridgeException {
        core.settings.needClient();
        Object address = core.provider.metadata().get("userinfo_endpoint");
        if (address == null) {
            throw new DrawbridgeException("provider.endpoint", "userinfo_endpoint");
        }
        Map<String, Object> person = core.renewal.withToken(own -> {
            Http answer = core.transport.send("GET", (String) address, null, null, null, own.accessToken, own.bound);
            if (answer.status != 200) {
                throw core.failures.of(answer, "userinfo");
            }
            Map<String, Object> said = Values.object(answer.text);
            if (!Values.isText(said.get("sub"))) {
                throw Failures.unexpected(answer, "userinfo cannot be read");
            }
            return said;
        });
        // An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        OwnSignIn own = core.ownItem.read();
        if (own == null || !own.subject.equals(person.get("sub"))) {
            throw new DrawbridgeException("id_token.subject");
        }
        return person;
    }
}
