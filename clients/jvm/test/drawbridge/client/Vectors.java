package drawbridge.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Plays every case of clients/vectors that concerns this library: {@code java drawbridge.client.Vectors URL skips.json}. */
public final class Vectors {
    private static String url;

    private Vectors() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        url = arguments[0];
        Map<String, Object> skips = Json.object(new String(Files.readAllBytes(Paths.get(arguments[1])), StandardCharsets.UTF_8));
        ExecutorService pool = Executors.newFixedThreadPool(8);
        Map<String, CompletableFuture<List<Object>>> running = new LinkedHashMap<>();
        for (Object one : (List<Object>) Json.object(ask(url + "/cases", "GET", null).text).get("cases")) {
            Map<String, Object> vector = (Map<String, Object>) one;
            boolean skipped = ((Map<String, Object>) skips.get("cases")).containsKey(vector.get("id"));
            for (Object need : (List<Object>) vector.get("needs")) {
                skipped = skipped || ((Map<String, Object>) skips.get("needs")).containsKey(need);
            }
            if (!skipped) {
                String id = (String) vector.get("id");
                running.put(id + ": " + vector.get("proves"), CompletableFuture.supplyAsync(() -> play(id), pool));
            }
        }
        int failures = 0;
        for (Map.Entry<String, CompletableFuture<List<Object>>> one : running.entrySet()) {
            if (!one.getValue().get().isEmpty()) {
                failures++;
                System.err.println(one.getKey() + "\n    " + one.getValue().get());
            }
        }
        pool.shutdown();
        for (String issuer : Arrays.asList("https://www.example.1a", "https://www.example.c-")) {
            try {
                new Drawbridge(new Settings(issuer));
                failures++;
                System.err.println(issuer + ": Java finds no host in it, and it was taken");
            } catch (DrawbridgeException refused) {
                failures += refused.code.equals("configuration") ? 0 : 1;
            }
        }
        System.out.println(running.size() + " cases, " + failures + " failures");
        System.exit(failures == 0 && running.size() > 400 ? 0 : 1);
    }

    @SuppressWarnings("unchecked")
    private static List<Object> play(String id) {
        try {
            Map<String, Object> run = Json.object(ask(url + "/case/" + id + "?library=jvm", "POST", null).text);
            Device device = new Device(run);
            List<Object> outcomes = new ArrayList<>();
            for (Object step : (List<Object>) run.get("steps")) {
                outcomes.add(device.step((Map<String, Object>) step));
            }
            Map<String, Object> report = new LinkedHashMap<>();
            report.put("outcomes", outcomes);
            report.put("log", String.join("\n", device.log));
            report.put("store", device.store.values());
            return (List<Object>) Json.object(ask(url + "/run/" + run.get("run") + "/result", "POST", Json.write(report)).text).get("problems");
        } catch (Exception error) {
            return Collections.singletonList(trace(error));
        }
    }

    private static String trace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static final class Reply {
        int status;
        String location;
        String text;
    }

    private static Reply ask(String address, String method, String body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod(method);
        if (method.equals("POST")) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write((body == null ? "" : body).getBytes(StandardCharsets.UTF_8));
        }
        Reply reply = new Reply();
        reply.status = connection.getResponseCode();
        reply.location = connection.getHeaderField("Location");
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in = reply.status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            byte[] buffer = new byte[8192];
            for (int count; in != null && (count = in.read(buffer)) >= 0;) {
                text.write(buffer, 0, count);
            }
        }
        reply.text = new String(text.toByteArray(), StandardCharsets.UTF_8);
        return reply;
    }

    /** What is kept, logged and shown on the device of one run. */
    private static final class Device implements Browser, WebView {
        final Map<String, Object> run;
        final MemoryStore store = new MemoryStore();
        final List<String> log = Collections.synchronizedList(new ArrayList<>());
        final List<Object> waits = new ArrayList<>();
        final List<String> view = new ArrayList<>();
        final List<String> cleared = new ArrayList<>();
        final Map<String, Drawbridge> apps = new HashMap<>();
        double elapsed;

        Device(Map<String, Object> run) {
            this.run = run;
        }

        @SuppressWarnings("unchecked")
        Drawbridge app(String name) throws DrawbridgeException {
            if (!apps.containsKey(name)) {
                Map<String, Object> own = ((Map<String, Map<String, Object>>) run.get("apps")).get(name);
                Settings settings = new Settings((String) own.get("issuer"));
                settings.clientId = (String) own.get("client_id");
                settings.redirectUri = (String) own.get("redirect_uri");
                settings.sharing = (String) own.get("shares");
                settings.dpop = Boolean.TRUE.equals(own.get("dpop"));
                settings.store = store;
                settings.timeout = ((Number) run.get("timeout_ms")).intValue();
                settings.now = () -> now(name);
                settings.sleep = milliseconds -> {
                    waits.add(milliseconds / 1000);
                    elapsed += milliseconds / 1000.0;
                };
                settings.logger = log::add;
                settings.browser = this;
                settings.webView = this;
                apps.put(name, new Drawbridge(settings));
            }
            return apps.get(name);
        }

        @SuppressWarnings("unchecked")
        long now(String name) {
            Object off = ((Map<String, Map<String, Object>>) run.get("apps")).get(name).get("clock_off");
            return (long) (1000 * (((Number) run.get("now")).doubleValue() + (off == null ? 0 : ((Number) off).doubleValue()) + elapsed));
        }

        @Override
        public String open(String address) throws DrawbridgeException {
            try {
                Reply reply = ask(address, "GET", null);
                if (reply.status == 204 || reply.status == 408) {
                    throw new DrawbridgeException(reply.status == 204 ? "cancelled" : "timed_out");
                }
                return reply.location;
            } catch (IOException gone) {
                throw new IllegalStateException(gone);
            }
        }

        @Override
        public void setCookie(WebViewCookie cookie) {
            view.add("set " + cookie.name);
        }

        @Override
        public void removeCookie(String name, String domain, String path, String page) {
            cleared.add(name);
        }

        @Override
        public void load(String page) {
            view.add("load " + page);
        }

        @SuppressWarnings("unchecked")
        Object step(Map<String, Object> step) throws DrawbridgeException {
            elapsed += step.get("after") == null ? 0 : ((Number) step.get("after")).doubleValue();
            if (!step.containsKey("together")) {
                return report(step);
            }
            List<CompletableFuture<Object>> all = new ArrayList<>();
            for (Object one : (List<Object>) step.get("together")) {
                app((String) ((Map<String, Object>) one).get("app"));
            }
            ExecutorService pool = Executors.newCachedThreadPool();
            for (Object one : (List<Object>) step.get("together")) {
                all.add(CompletableFuture.supplyAsync(() -> report((Map<String, Object>) one), pool));
            }
            List<Object> outcomes = new ArrayList<>();
            for (CompletableFuture<Object> one : all) {
                outcomes.add(one.join());
            }
            pool.shutdown();
            return outcomes;
        }

        private Object report(Map<String, Object> step) {
            try {
                return act(app((String) step.get("app")), step);
            } catch (DrawbridgeException error) {
                log.add(trace(error));
                Map<String, Object> outcome = failure(error);
                Collections.sort(cleared);
                outcome.put("cleared", new ArrayList<>(cleared));
                return outcome;
            }
        }

        private Map<String, Object> failure(DrawbridgeException error) {
            return map("error", error.code, "oauth", error.oauth, "seconds", error.seconds, "request_id", error.requestId,
                "page", error.page, "acr_values", error.acrValues, "max_age", error.maxAge, "sentence", error.getMessage());
        }

        private static Map<String, Object> map(Object... pairs) {
            Map<String, Object> found = new LinkedHashMap<>();
            for (int i = 0; i < pairs.length; i += 2) {
                found.put((String) pairs[i], pairs[i + 1]);
            }
            return found;
        }

        private Map<String, Object> signedIn(Map<String, Object> claims) {
            log.add(String.valueOf(claims));
            return map("outcome", "signed_in", "subject", claims.get("sub"));
        }

        @SuppressWarnings("unchecked")
        private Map<String, Object> act(Drawbridge app, Map<String, Object> step) throws DrawbridgeException {
            switch ((String) step.get("do")) {
                case "sign_in":
                    Drawbridge.Wishes wishes = new Drawbridge.Wishes();
                    wishes.loginHint = (String) step.get("login_hint");
                    wishes.acrValues = (List<String>) step.get("acr_values");
                    wishes.maxAge = (Long) step.get("max_age");
                    wishes.prompt = (String) step.get("prompt");
                    return signedIn(app.signIn(wishes));
                case "sign_in_silently":
                    Drawbridge.Silent result = app.signInSilently();
                    if (result.claims != null) {
                        return signedIn(result.claims);
                    }
                    Map<String, Object> outcome = result.error == null ? new LinkedHashMap<>() : failure(result.error);
                    outcome.put("outcome", "needs_sign_in");
                    outcome.put("reason", result.reason);
                    return outcome;
                case "open_url":
                case "open_url_with_header":
                    LoginLink link = app.openUrl((String) step.get("path"), (String) step.get("bearer"), (String) step.get("website"),
                        step.get("do").equals("open_url_with_header"));
                    log.add(link.toString());
                    double life = (link.expiresAt() - now((String) step.get("app"))) / 1000.0;
                    return map("outcome", "link", "url", link.url(), "headers", link.headers(), "code", link.code(), "expires_in", life == Math.rint(life) ? (Object) (long) life : life);
                case "access_token":
                    return map("outcome", "token", "token", app.accessToken());
                case "person":
                    Map<String, Object> person = app.person();
                    log.add(String.valueOf(person));
                    return map("outcome", "person", "subject", person.get("sub"), "name", person.get("name"));
                case "cookies":
                    List<Map<String, Object>> cookies = new ArrayList<>();
                    for (WebViewCookie cookie : app.cookies((String) step.get("url"), (String) step.get("web_view"))) {
                        log.add(cookie.toString());
                        cookies.add(map("name", cookie.name, "value", cookie.value, "path", cookie.path, "http_only", cookie.httpOnly,
                            "same_site", cookie.sameSite, "domain", cookie.domain));
                    }
                    cookies.sort((one, other) -> ((String) one.get("name")).compareTo((String) other.get("name")));
                    return map("outcome", "cookies", "cookies", cookies);
                case "open_web_view":
                    view.clear();
                    app.openWebView((String) step.get("url"), (String) step.get("web_view"));
                    int first = 0;
                    while (view.get(first).startsWith("set ")) {
                        first++;
                    }
                    Collections.sort(view.subList(0, first));
                    return map("outcome", "opened", "order", new ArrayList<>(view));
                case "device_sign_in":
                    waits.clear();
                    List<Drawbridge.DeviceCode> shown = new ArrayList<>();
                    Map<String, Object> signedIn = signedIn(app.signInByDevice(shown::add));
                    signedIn.put("user_code", shown.get(0).userCode);
                    signedIn.put("waits", waits);
                    return signedIn;
                case "sign_out":
                    app.signOut(!"this_app".equals(step.get("extent")));
                    Collections.sort(cleared);
                    return map("outcome", "signed_out", "cleared", new ArrayList<>(cleared));
                default:
                    throw new IllegalStateException(Arrays.asList("unknown step", step.get("do")).toString());
            }
        }
    }
}
