package drawbridge.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What becomes of a sign-in at the provider that a store does not take, or that takes the place of one it cannot read. */
final class Ends {
    private static final String CLIENT = "app-a";
    private static final String SHARED = "drawbridge-shared:maker";

    private Ends() {
    }

    static void all() throws Exception {
        aStoreThatIsFull(null, Arrays.asList("refresh_token rt_2", "device_secret ds_2"));
        // The device was there before, and others may be signed in on it.
        aStoreThatIsFull("ds_1", Collections.singletonList("refresh_token rt_2"));
        aStoreThatIsFull("ds_2", Collections.singletonList("refresh_token rt_2"));
        aSignInThatCannotBeRead();
    }

    private static void aStoreThatIsFull(String known, List<String> revoked) throws Exception {
        try (Provider provider = new Provider()) {
            Settings settings = provider.settings();
            settings.sharing = "maker";
            MemoryStore kept = new MemoryStore();
            String before = known == null ? null
                : "{\"device_secret\":\"" + known + "\",\"id_token\":\"" + provider.idToken(known) + "\"}";
            if (before != null) {
                kept.set(SHARED, before);
            }
            settings.store = new Over(kept) {
                @Override
                public void set(String name, String value) throws IOException {
                    if (name.equals(provider.item())) {
                        throw new IOException("no space");
                    }
                    kept.set(name, value);
                }
            };
            String code = null;
            try {
                new Drawbridge(settings).signIn(new Drawbridge.Wishes());
            } catch (DrawbridgeException error) {
                code = error.code;
            }
            Beside.same("a sign-in that the store does not take, beside " + known, "secret_store", code);
            Beside.same("what ends of it, beside " + known, revoked, provider.revoked);
            Beside.same("what is shared then, beside " + known, before, kept.get(SHARED));
        }
    }

    private static void aSignInThatCannotBeRead() throws Exception {
        try (Provider provider = new Provider()) {
            Settings settings = provider.settings();
            MemoryStore kept = new MemoryStore();
            kept.set(provider.item(), "damaged");
            settings.store = new Over(kept) {
                @Override
                public String get(String name) throws IOException {
                    if ("damaged".equals(kept.get(name))) {
                        throw new IOException("damaged");
                    }
                    return kept.get(name);
                }
            };
            Drawbridge app = new Drawbridge(settings);
            try {
                app.signIn(new Drawbridge.Wishes());
                Beside.same("a sign-in in place of one that cannot be read", "at_2", app.accessToken());
            } catch (DrawbridgeException error) {
                Beside.same("a sign-in in place of one that cannot be read", "at_2", error.code);
            }
            Beside.same("what it ends", Collections.emptyList(), provider.revoked);
        }
    }

    private static class Over implements Store {
        private final MemoryStore own;

        Over(MemoryStore own) {
            this.own = own;
        }

        @Override
        public String get(String name) throws IOException {
            return own.get(name);
        }

        @Override
        public void set(String name, String value) throws IOException {
            own.set(name, value);
        }

        @Override
        public void remove(String name) {
            own.remove(name);
        }

        @Override
        public Lock lock(String name) {
            return own.lock(name);
        }
    }

    /** Signs anybody in, and is the person's browser. */
    private static final class Provider implements AutoCloseable {
        final List<String> revoked = Collections.synchronizedList(new ArrayList<>());
        private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
        private final String base = "http://127.0.0.1:" + server.getLocalPort();
        private final SoftKey key = SoftKey.of(SoftKey.make());
        private volatile String nonce;

        Provider() throws Exception {
            Thread serving = new Thread(this::serve);
            serving.setDaemon(true);
            serving.start();
        }

        String item() {
            return "drawbridge:" + CLIENT + ":" + base;
        }

        Settings settings() {
            Settings settings = new Settings(base);
            settings.clientId = CLIENT;
            settings.redirectUri = "com.example.app:/callback";
            settings.browser = address -> {
                nonce = parameter(address, "nonce");
                return settings.redirectUri + "?code=c&state=" + parameter(address, "state") + "&iss=" + base;
            };
            return settings;
        }

        private static String parameter(String text, String name) {
            for (String pair : text.split("[?&]")) {
                if (pair.startsWith(name + "=")) {
                    return pair.substring(name.length() + 1);
                }
            }
            return null;
        }

        String idToken(String secret) throws GeneralSecurityException {
            String claims = "{\"iss\":\"" + base + "\",\"aud\":\"" + CLIENT + "\",\"sub\":\"alice\",\"exp\":9999999999,\"iat\":1,"
                + "\"nonce\":\"" + nonce + "\",\"ds_hash\":\"" + Codec.halfHash(secret) + "\"}";
            String text = encoded("{\"alg\":\"ES256\",\"kid\":\"k1\"}") + "." + encoded(claims);
            return text + "." + Codec.encode(P256.raw(key.sign(text.getBytes(StandardCharsets.US_ASCII))));
        }

        private static String encoded(String text) {
            return Codec.encode(text.getBytes(StandardCharsets.US_ASCII));
        }

        private String answer(String request) throws GeneralSecurityException {
            if (request.startsWith("GET /k ")) {
                return "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"k1\",\"x\":\"" + Codec.encode(key.x())
                    + "\",\"y\":\"" + Codec.encode(key.y()) + "\"}]}";
            }
            if (request.startsWith("POST /t ")) {
                return "{\"access_token\":\"at_2\",\"token_type\":\"Bearer\",\"expires_in\":300,\"refresh_token\":\"rt_2\","
                    + "\"device_secret\":\"ds_2\",\"id_token\":\"" + idToken("ds_2") + "\"}";
            }
            if (request.startsWith("POST /r ")) {
                String form = request.substring(request.indexOf("\r\n\r\n") + 4);
                revoked.add(parameter("?" + form, "token_type_hint") + " " + parameter("?" + form, "token"));
                return "{}";
            }
            return "{\"issuer\":\"" + base + "\",\"code_challenge_methods_supported\":[\"S256\"],\"authorization_endpoint\":\"" + base
                + "/a\",\"token_endpoint\":\"" + base + "/t\",\"jwks_uri\":\"" + base + "/k\",\"revocation_endpoint\":\"" + base + "/r\"}";
        }

        private void serve() {
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    String body = answer(read(client.getInputStream()));
                    client.getOutputStream().write(("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
                } catch (IOException | GeneralSecurityException gone) {
                    // The other side shows it.
                }
            }
        }

        private static String read(InputStream in) throws IOException {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int count; (count = in.read(buffer)) > 0;) {
                all.write(buffer, 0, count);
                String text = new String(all.toByteArray(), StandardCharsets.US_ASCII);
                int end = text.indexOf("\r\n\r\n");
                String length = end < 0 ? null : header(text.substring(0, end), "content-length: ");
                if (end >= 0 && text.length() >= end + 4 + (length == null ? 0 : Integer.parseInt(length))) {
                    return text;
                }
            }
            return "";
        }

        private static String header(String head, String name) {
            for (String line : head.split("\r\n")) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name)) {
                    return line.substring(name.length()).trim();
                }
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
