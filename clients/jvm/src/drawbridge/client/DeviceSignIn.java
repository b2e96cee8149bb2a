package drawbridge.client;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sign-in without a browser (RFC 8628). */
final class DeviceSignIn {
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    /** Seconds for which a code is asked for at most. */
    private static final double LONGEST_CODE = 86400;

    private final Core core;

    DeviceSignIn(Core core) {
        this.core = core;
    }

    Map<String, Object> signIn(Consumer<Drawbridge.DeviceCode> show) throws DrawbridgeException {
        core.settings.needClient();
        Object address = core.provider.metadata().get("device_authorization_endpoint");
        if (address == null) {
            throw new DrawbridgeException("provider.endpoint", "device_authorization_endpoint");
        }
        core.provider.needKeys();
        Map<String, Object> said = code((String) address);
        Address complete = Address.of(said.get("verification_uri_complete"));
        double life = Math.min(Values.number(said.get("expires_in")), LONGEST_CODE);
        long end = core.settings.now.getAsLong() + (long) (1000 * life);
        Drawbridge.DeviceCode shown = new Drawbridge.DeviceCode((String) said.get("user_code"),
            (String) said.get("verification_uri"), complete == null ? null : complete.text, end);
        AppPart.hosted("what shows the code", () -> {
            show.accept(shown);
            return null;
        });
        Map<String, Object> tokens = tokens(said, end);
        // Beside the asking: a code that was used is not asked with again, which would end what it opened.
        try {
            Map<String, Object> claims = core.idTokens.verified(tokens, null, null, null, null);
            core.beginning.keep(tokens, claims);
            return claims;
        } catch (DrawbridgeException | RuntimeException error) {
            core.beginning.abandon(tokens, null);
            throw error;
        }
    }

    /** What the device authorization endpoint says, with a code to be shown. */
    private Map<String, Object> code(String address) throws DrawbridgeException {
        List<String> words = core.settings.requestedWords();
        // What a device cannot have is not asked for.
        words.removeAll(Arrays.asList("offline_access", "device_sso"));
        Map<String, String> members = Form.members("client_id", core.settings.clientId, "scope", String.join(" ", words));
        Http answer = core.transport.post(address, members, null, false);
        if (answer.status != 200) {
            throw core.failures.of(answer, "the device authorization endpoint");
        }
        Map<String, Object> said = Values.object(answer.text);
        if (!Values.isText(said.get("device_code")) || !Values.isText(said.get("user_code"))
            || !Values.isNumber(said.get("expires_in")) || Values.number(said.get("expires_in")) <= 0
            || Address.of(said.get("verification_uri")) == null) {
            throw Failures.unexpected(answer, "no code to be shown came");
        }
        return said;
    }

    /** Asks until the person has answered, or the code has run out. */
    private Map<String, Object> tokens(Map<String, Object> said, long end) throws DrawbridgeException {
        double interval = Values.isNumber(said.get("interval")) ? Math.max(1, Values.number(said.get("interval"))) : 5;
        while (true) {
            try {
                // No longer than the code lives, whatever the provider wants.
                core.settings.sleep.sleep(Math.max(0, (long) Math.min(1000 * interval, end - core.settings.now.getAsLong())));
                return core.tokens.get(Form.members("grant_type", GRANT, "device_code", (String) said.get("device_code")));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new DrawbridgeException("cancelled");
            } catch (DrawbridgeException error) {
                if ("slow_down".equals(error.oauth)) {
                    interval += 5;
                } else if ("expired_token".equals(error.oauth)) {
                    throw new DrawbridgeException("timed_out");
                } else if (error.code.equals("unreachable")) {
                    // A lost connection is no answer (RFC 8628 §3.5).
                    interval = Math.min(2 * interval, 60);
                } else if (error.code.equals("come_back_later")) {
                    interval = Math.max(interval, error.seconds == null ? 0 : error.seconds);
                } else if (!"authorization_pending".equals(error.oauth)) {
                    throw error;
                }
            }
            if (core.settings.now.getAsLong() >= end) {
                throw new DrawbridgeException("timed_out");
            }
        }
    }
}
