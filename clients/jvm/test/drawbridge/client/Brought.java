package drawbridge.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** What the app brings and no vector can play: a browser, a key or a logger that fails, settings that cannot work. */
final class Brought {
    private Brought() {
    }

    static void all() throws Exception {
        aBrowserThatFails();
        aTimeoutThatIsNone();
        aScopeThatIsNone();
        settingsThatChangeLater();
        aKeyThatDoesNotSign();
        aLoggerThatFails();
    }

    private static void aBrowserThatFails() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            String base = "http://127.0.0.1:" + server.getLocalPort();
            Thread provider = new Thread(() -> describe(server, base));
            provider.setDaemon(true);
            provider.start();
            Settings settings = new Settings(base);
            settings.clientId = "app-a";
            settings.redirectUri = "com.example.app:/callback";
            settings.browser = address -> {
                throw new IllegalStateException("a secret");
            };
            try {
                new Drawbridge(settings).signIn(new Drawbridge.Wishes());
                Beside.same("a browser that fails", "an error", "signed in");
            } catch (DrawbridgeException error) {
                Beside.same("a browser that fails", "configuration", error.code);
                Beside.same("what is said of it", true, error.getMessage().endsWith("the browser failed: IllegalStateException"));
            }
        }
    }

    /** Answers every request with a provider's description that is a key set as well. */
    private static void describe(ServerSocket server, String base) {
        String body = "{\"keys\":[],\"issuer\":\"" + base + "\",\"code_challenge_methods_supported\":[\"S256\"],"
            + "\"authorization_endpoint\":\"" + base + "/a\",\"token_endpoint\":\"" + base + "/t\",\"jwks_uri\":\"" + base + "/k\"}";
        String answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        while (!server.isClosed()) {
            try (Socket client = server.accept(); InputStream in = client.getInputStream()) {
                in.read(new byte[8192]);
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException gone) {
                // The other side shows it.
            }
        }
    }

    private static void aScopeThatIsNone() {
        for (List<String> scope : Arrays.<List<String>>asList(null, Arrays.asList("profile", null), Arrays.asList(""))) {
            Settings settings = new Settings("http://127.0.0.1:1");
            settings.scope = scope;
            try {
                new Drawbridge(settings);
                Beside.same("a scope of " + scope, "an error", "none");
            } catch (DrawbridgeException error) {
                Beside.same("a scope of " + scope, "configuration", error.code);
            } catch (RuntimeException raw) {
                Beside.same("a scope of " + scope, "configuration", raw);
            }
        }
    }

    private static void settingsThatChangeLater() throws Exception {
        Settings settings = new Settings("http://127.0.0.1:1");
        settings.clientId = "app-a";
        Store kept = settings.store;
        kept.set(Beside.ITEM, "{\"access_token\":\"at\",\"expires_at\":" + (System.currentTimeMillis() + 60_000) + ",\"subject\":\"alice\"}");
        Drawbridge app = new Drawbridge(settings);
        settings.clientId = "app-b";
        settings.store = new MemoryStore();
        try {
            Beside.same("settings that change later", "at", app.accessToken());
        } catch (DrawbridgeException error) {
            Beside.same("settings that change later", "at", error.code);
        }
    }

    private static void aKeyThatDoesNotSign() throws Exception {
        for (byte[] signature : new byte[][] {null, new byte[0]}) {
            Settings settings = new Settings("http://127.0.0.1:1");
            settings.clientId = "app-a";
            settings.store.set(Beside.ITEM, "{\"access_token\":\"at\",\"expires_at\":" + (System.currentTimeMillis() + 60_000)
                + ",\"subject\":\"alice\",\"bound\":true}");
            settings.proofKey = new ProofKey() {
                @Override
                public byte[] x() {
                    return new byte[32];
                }

                @Override
                public byte[] y() {
                    return new byte[32];
                }

                @Override
                public byte[] sign(byte[] message) {
                    if (signature == null) {
                        throw new IllegalStateException("a secret");
                    }
                    return signature;
                }
            };
            try {
                new Drawbridge(settings).openUrl("/");
                Beside.same("a key that does not sign", "an error", "opened");
            } catch (DrawbridgeException error) {
                Beside.same("a key that does not sign", "configuration", error.code);
                Beside.same("its text", false, error.getMessage().contains("secret"));
            } catch (RuntimeException raw) {
                Beside.same("a key that does not sign", "configuration", raw);
            }
        }
    }

    private static void aLoggerThatFails() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Beside.answerOnce(server);
            Settings settings = new Settings("http://127.0.0.1:" + server.getLocalPort());
            settings.logger = line -> {
                throw new IllegalStateException("no space");
            };
            try {
                String url = new Drawbridge(settings).openUrl("/contacts", "bearer", null, false).url();
                Beside.same("a logger that fails", "http://localhost/login-with-token?token=t", url);
            } catch (IllegalStateException raw) {
                Beside.same("a logger that fails", "nothing", raw);
            }
        }
    }

    private static void aTimeoutThatIsNone() {
        for (int timeout : new int[] {0, -1}) {
            Settings settings = new Settings("http://127.0.0.1:1");
            settings.timeout = timeout;
            try {
                new Drawbridge(settings);
                Beside.same("a timeout of " + timeout, "an error", "none");
            } catch (DrawbridgeException error) {
                Beside.same("a timeout of " + timeout, "configuration", error.code);
            }
        }
    }
}
