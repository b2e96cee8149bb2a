package drawbridge.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What no vector can play: a host of two addresses, a store that does not let itself be read, has no lock or holds a damaged
 * key, and a web view that fails; and what {@link Brought} and {@link Ends} have. Status 0 when all holds.
 * Its test gives {@code localhost} the addresses 127.0.0.2 and 127.0.0.1, in this order.
 */
public final class Beside {
    static final String ITEM = "drawbridge:app-a:http://127.0.0.1:1";
    private static int failures;

    private Beside() {
    }

    public static void main(String[] arguments) throws Exception {
        same("the addresses of the test", 2, InetAddress.getAllByName("localhost").length);
        anAddressThatRefuses();
        anAddressThatIsSilent();
        noAddressThatAnswers();
        aStoreThatCannotBeRead();
        aStoreWithoutItsLock();
        aWebViewThatIsNotAtHandOrFails();
        aDamagedKey();
        plainHttpOfAnHttpsProvider();
        Brought.all();
        Ends.all();
        System.out.println(failures + " failures");
        System.exit(failures == 0 ? 0 : 1);
    }

    static void same(String what, Object expected, Object got) {
        if (!Objects.equals(expected, got)) {
            failures++;
            System.err.println(what + ": " + got + " in place of " + expected);
        }
    }

    private static String opened(int port, int timeout) throws DrawbridgeException {
        Settings settings = new Settings("http://localhost:" + port);
        settings.timeout = timeout;
        try {
            return new Drawbridge(settings).openUrl("/contacts", "bearer", null, false).url();
        } catch (DrawbridgeException error) {
            return error.code + (error.getMessage().contains("too long") ? ", late" : "");
        }
    }

    /** Answers one request with a link. */
    static void answerOnce(ServerSocket server) {
        answerOnce(server, "200 OK", "{\"login_url\":\"http://localhost/login-with-token?token=t\",\"expires_in\":60}");
    }

    private static void answerOnce(ServerSocket server, String status, String body) {
        Thread thread = new Thread(() -> {
            try (Socket client = server.accept(); InputStream in = client.getInputStream()) {
                in.read(new byte[8192]);
                String answer = "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException gone) {
                // The other side shows it.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void anAddressThatRefuses() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            answerOnce(server);
            same("the first address refuses", "http://localhost/login-with-token?token=t", opened(server.getLocalPort(), 20_000));
        }
    }

    private static void anAddressThatIsSilent() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
            ServerSocket full = new ServerSocket(server.getLocalPort(), 1, InetAddress.getByName("127.0.0.2"))) {
            List<Socket> waiting = fill(full);
            answerOnce(server);
            same("the first address is silent", "http://localhost/login-with-token?token=t", opened(server.getLocalPort(), 2_000));
            for (Socket one : waiting) {
                one.close();
            }
        }
    }

    private static void noAddressThatAnswers() throws Exception {
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"));
            ServerSocket second = new ServerSocket(first.getLocalPort(), 1, InetAddress.getByName("127.0.0.1"))) {
            List<Socket> waiting = fill(first);
            waiting.addAll(fill(second));
            long begun = System.nanoTime();
            String said = opened(first.getLocalPort(), 3_000);
            same("both are silent", "unreachable", said.split(",")[0]);
            same("all of them have no more time than one", true, System.nanoTime() - begun < 5_000_000_000L);
            for (Socket one : waiting) {
                one.close();
            }
        }
    }

    /** Takes the places of those who wait to be accepted: whoever comes then hears nothing. */
    private static List<Socket> fill(ServerSocket server) throws IOException {
        List<Socket> waiting = new ArrayList<>();
        for (int turn = 0; turn < 16; turn++) {
            Socket one = new Socket();
            waiting.add(one);
            try {
                one.connect(server.getLocalSocketAddress(), 300);
            } catch (IOException full) {
                return waiting;
            }
        }
        throw new IOException("it is never full");
    }

    private static void aStoreThatCannotBeRead() throws Exception {
        List<String> removed = new ArrayList<>();
        Settings settings = new Settings("http://127.0.0.1:1");
        settings.clientId = "app-a";
        settings.sharing = "maker";
        settings.store = new Store() {
            @Override
            public String get(String name) throws IOException {
                throw new IOException("damaged");
            }

            @Override
            public void set(String name, String value) {
                throw new IllegalStateException("nothing is to be kept");
            }

            @Override
            public void remove(String name) {
                removed.add(name);
            }

            @Override
            public Lock lock(String name) {
                return () -> { };
            }
        };
        for (boolean device : new boolean[] {false, true}) {
            removed.clear();
            String code = null;
            try {
                new Drawbridge(settings).signOut(device);
            } catch (DrawbridgeException error) {
                code = error.code;
            }
            // Which cookies the web view has cannot be known, and that is told; the list leaves as well.
            same("a sign-out where nothing can be read", "secret_store", code);
            same("what it takes out all the same", device
                ? Arrays.asList("drawbridge:app-a:http://127.0.0.1:1", "drawbridge-shared:maker",
                    "drawbridge:app-a:http://127.0.0.1:1:cookies")
                : Arrays.asList("drawbridge:app-a:http://127.0.0.1:1", "drawbridge:app-a:http://127.0.0.1:1:cookies"), removed);
        }
    }

    private static void aStoreWithoutItsLock() throws Exception {
        MemoryStore kept = new MemoryStore();
        Settings settings = new Settings("http://127.0.0.1:1");
        settings.clientId = "app-a";
        settings.store = new Store() {
            @Override
            public String get(String name) {
                return kept.get(name);
            }

            @Override
            public void set(String name, String value) {
                kept.set(name, value);
            }

            @Override
            public void remove(String name) {
                kept.remove(name);
            }

            @Override
            public Lock lock(String name) throws IOException {
                throw new IOException("no space");
            }
        };
        kept.set(ITEM, "{\"access_token\":\"at\",\"refresh_token\":\"rt\",\"expires_at\":0,\"subject\":\"alice\"}");
        Drawbridge app = new Drawbridge(settings);
        // What stays undone on the device is told before what the provider could not be told.
        for (String expected : new String[] {"secret_store", "not_signed_in"}) {
            String code = null;
            try {
                app.signOut();
            } catch (DrawbridgeException error) {
                code = error.code;
            }
            same("a sign-out without its lock", expected, code);
            same("what it leaves", null, kept.get(ITEM));
        }
    }

    private static String signedOut(Settings settings) throws Exception {
        settings.store.set(ITEM, "{\"access_token\":\"at\",\"expires_at\":0,\"subject\":\"alice\"}");
        try {
            new Drawbridge(settings).signOut();
            return "done";
        } catch (DrawbridgeException error) {
            return error.code;
        }
    }

    private static void aWebViewThatIsNotAtHandOrFails() throws Exception {
        Settings settings = new Settings("http://127.0.0.1:1");
        settings.clientId = "app-a";
        settings.store = new MemoryStore();
        settings.store.set(ITEM + ":cookies", "[[\"a\",\"d\",\"/\",\"u\"],[\"b\",\"d\",\"/\",\"u\"]]");
        same("a sign-out without the web view", "done", signedOut(settings));
        same("it keeps the list", true, settings.store.get(ITEM + ":cookies") != null);
        List<String> removed = new ArrayList<>();
        boolean[] fails = {true};
        settings.webView = new WebView() {
            @Override
            public void setCookie(WebViewCookie cookie) {
                throw new IllegalStateException("none is to be set");
            }

            @Override
            public void removeCookie(String name, String domain, String path, String url) {
                if (fails[0] && name.equals("a")) {
                    throw new IllegalStateException("the window is gone");
                }
                removed.add(name);
            }

            @Override
            public void load(String url) {
                throw new IllegalStateException("nothing is to be loaded");
            }
        };
        same("a web view that fails", "secret_store", signedOut(settings));
        same("the secrets leave all the same", null, settings.store.get(ITEM));
        fails[0] = false;
        same("a web view that works again", "done", signedOut(settings));
        same("what is taken out", Arrays.asList("b", "a", "b"), removed);
        same("and the list is gone", null, settings.store.get(ITEM + ":cookies"));
    }

    private interface Call {
        Object of(Drawbridge app) throws DrawbridgeException;
    }

    /** What comes of a call that gets this answer of an https provider; {@code ISSUER} in it is that provider's address. */
    private static String told(Call call, String status, String body) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            String issuer = "http://127.0.0.1:" + server.getLocalPort();
            answerOnce(server, status, body.replace("ISSUER", issuer));
            Settings settings = new Settings(issuer);
            settings.clientId = "app-a";
            settings.store = new MemoryStore();
            Drawbridge app = new Drawbridge(settings);
            // It answers in plain http, since no certificate of this machine is known to Java; to the library it is https.
            java.lang.reflect.Field isLoopback = Address.class.getDeclaredField("isLoopback");
            isLoopback.setAccessible(true);
            isLoopback.set(app.core.issuer, false);
            try {
                return String.valueOf(call.of(app));
            } catch (DrawbridgeException error) {
                return error.code + " " + error.page;
            }
        }
    }

    private static void plainHttpOfAnHttpsProvider() throws Exception {
        String secure = "https://127.0.0.1";
        String plain = "http://127.0.0.1";
        Call open = app -> app.openUrl("/", "t", null, false).url();
        Call cookies = app -> app.cookies(secure + "/", "web-view");
        String link = "{\"expires_in\":60,\"login_url\":\"";
        same("an https link", secure + "/in", told(open, "200 OK", link + secure + "/in\"}"));
        same("a link on this machine in plain http", "unexpected_answer null", told(open, "200 OK", link + plain + "/in\"}"));
        String refusal = "{\"error\":\"invalid_redirect\",\"error_uri\":\"";
        same("an https page", "refused https://127.0.0.1/help", told(open, "400 No", refusal + secure + "/help\"}"));
        same("a page on this machine in plain http", "refused null", told(open, "400 No", refusal + plain + "/help\"}"));
        StringBuilder description = new StringBuilder("{\"issuer\":\"ISSUER\",\"code_challenge_methods_supported\":[\"S256\"]");
        List<String> names = Arrays.asList("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint",
            "revocation_endpoint", "device_authorization_endpoint");
        for (String name : names) {
            description.append(",\"").append(name).append("\":\"https://127.0.0.1/").append(name).append('"');
        }
        String whole = description.append('}').toString();
        same("cookies for an https page", "not_signed_in null", told(cookies, "200 OK", whole));
        same("cookies for a page on this machine in plain http", "configuration null",
            told(app -> app.cookies(plain + "/", "web-view"), "200 OK", whole));
        for (String name : names) {
            same(name + " on this machine in plain http", "provider.endpoint null",
                told(cookies, "200 OK", whole.replace(secure + "/" + name, plain + "/" + name)));
        }
    }

    private static void aDamagedKey() throws Exception {
        String whole = SoftKey.make();
        String pkcs8 = (String) Json.object(whole).get("pkcs8");
        KeyPairGenerator longer = KeyPairGenerator.getInstance("EC");
        longer.initialize(new ECGenParameterSpec("secp384r1"));
        for (String damaged : new String[] {
            "", "{", "[]", "{}", "{\"pkcs8\":\"AA\",\"x\":\"AA\",\"y\":\"AA\"}", "{\"pkcs8\":1}",
            // Parts of two keys, a key of another curve, and a point of none.
            whole.replace(pkcs8, (String) Json.object(SoftKey.make()).get("pkcs8")),
            whole.replace(pkcs8, Codec.encode(longer.generateKeyPair().getPrivate().getEncoded())),
            whole.replace((String) Json.object(whole).get("y"), Codec.encode(new byte[32])),
        }) {
            Settings settings = new Settings("http://127.0.0.1:1");
            settings.clientId = "app-a";
            settings.dpop = true;
            settings.store = new MemoryStore();
            long later = System.currentTimeMillis() + 60_000;
            settings.store.set(ITEM, "{\"access_token\":\"at\",\"expires_at\":" + later + ",\"subject\":\"alice\",\"bound\":true}");
            settings.store.set(ITEM + ":key", damaged);
            String code = null;
            try {
                new Drawbridge(settings).openUrl("/", null, null, false);
            } catch (DrawbridgeException error) {
                code = error.code;
            }
            // The proof was made, and nobody is there to take it.
            same("a key that is damaged: " + damaged, "unreachable", code);
            String kept = settings.store.get(ITEM + ":key");
            same("counts as absent: " + damaged, true, !kept.equals(damaged) && SoftKey.of(kept) != null);
        }
    }
}
