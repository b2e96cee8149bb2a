package drawbridge.site;

import drawbridge.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The shared table, and what is Java's own: {@code java drawbridge.site.Cases cases.json}. Status 0 when all hold. */
public final class Cases {
    private static Map<String, Object> table;
    private static int count;
    private static int failures;
    private static long now;
    private static Object serves;
    private static int asked;

    public static void main(String[] arguments) throws Exception {
        table = Json.object(new String(Files.readAllBytes(Paths.get(arguments[0])), StandardCharsets.UTF_8));
        tokens();
        proxies();
        cookies();
        identities();
        outages();
        rotation();
        askedInVain();
        askedByOne();
        full();
        returns();
        demands();
        proxyDemands();
        brackets();
        stepUps();
        notices("webhooks");
        notices("logouts");
        ended();
        settings();
        receivers();
        copied();
        own();
        System.out.println(count + " checks, " + failures + " failures");
        System.exit(failures == 0 && count > 250 ? 0 : 1);
    }

    private static void same(String id, Object expected, Object got) {
        count++;
        if (!Objects.equals(expected, got)) {
            failures++;
            System.err.println(id + ": " + Json.write(got) + " instead of " + Json.write(expected));
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> of, String name) {
        return (List<Map<String, Object>>) of.get(name);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, Object> of, String name) {
        return (Map<String, Object>) of.get(name);
    }

    @SuppressWarnings("unchecked")
    private static List<String> texts(Object value) {
        return value == null ? Collections.emptyList() : (List<String>) value;
    }

    private static String text(Map<String, Object> of, String name) {
        return (String) of.get(name);
    }

    private static List<String[]> pairs(Object value) {
        List<String[]> pairs = new ArrayList<>();
        for (Object pair : value == null ? Collections.emptyList() : (List<?>) value) {
            pairs.add(texts(pair).toArray(new String[0]));
        }
        return pairs;
    }

    private static Drawbridge.Reply provider(String path, Map<String, String> headers) throws Unavailable {
        asked++;
        if ("down".equals(serves)) {
            throw new Unavailable("down");
        }
        if ("garbage".equals(serves)) {
            return new Drawbridge.Reply(200, Collections.emptyList(), "<html>");
        }
        List<Object> keys = new ArrayList<>();
        for (String name : texts(serves)) {
            keys.add(map(table, "keys").get(name));
        }
        return new Drawbridge.Reply(200, Collections.emptyList(), Json.write(Collections.singletonMap("keys", keys)));
    }

    private static Settings plain() {
        Map<String, Object> own = map(table, "settings");
        Settings settings = new Settings();
        settings.source = Settings.Source.COOKIE;
        settings.origin = text(own, "origin");
        settings.drawbridge = text(own, "drawbridge");
        settings.issuer = text(own, "issuer");
        settings.clientId = text(own, "client_id");
        settings.clients = texts(own.get("clients"));
        settings.cookie = text(own, "cookie");
        settings.webhookSecrets = texts(own.get("webhook_secrets"));
        return settings;
    }

    private static Site site(Settings settings, Drawbridge drawbridge) {
        now = (Long) table.get("now");
        serves = table.get("serves");
        asked = 0;
        return new Site(settings, () -> now, drawbridge, new Memory(1000), new Memory(1000));
    }

    private static Site site() {
        return site(plain(), Cases::provider);
    }

    private static String outcome(Site site, String token) {
        try {
            return site.userOf(token).subject;
        } catch (Refused refusal) {
            return refusal.getMessage();
        } catch (Unavailable away) {
            return "unavailable";
        }
    }

    private static void tokens() throws Exception {
        for (Map<String, Object> one : list(table, "tokens")) {
            Site site = site();
            now = (Long) one.get("now");
            Map<String, Object> got = new LinkedHashMap<>();
            try {
                User user = site.userOf(text(one, "token"));
                got.put("subject", user.subject);
                got.put("session", user.session);
                got.put("acr", user.acr);
                got.put("amr", user.amr);
                got.put("auth_time", user.authTime);
            } catch (Refused refusal) {
                got.put("refused", refusal.getMessage());
            }
            same(text(one, "id"), one.get("expect"), got);
        }
    }

    private static void proxies() throws Exception {
        for (Map<String, Object> one : list(table, "proxies")) {
            Settings settings = plain();
            settings.source = Settings.Source.PROXY;
            settings.proxySecret = text(map(one, "settings"), "proxy_secret");
            settings.proxyAddresses = texts(map(one, "settings").get("proxy_addresses"));
            settings.hosts = texts(map(one, "settings").get("hosts"));
            Site.Identity identity = site(settings, Cases::provider).identify(new Request(
                "GET", "/", pairs(one.get("headers")), text(one, "peer"), (Boolean) one.get("claimed")));
            Map<String, Object> got = new LinkedHashMap<>();
            if (identity.user == null) {
                got.put("refused", identity.reason);
            } else {
                got.put("subject", identity.user.subject);
                got.put("session", identity.user.session);
                got.put("acr", identity.user.acr);
            }
            same(text(one, "id"), one.get("expect"), got);
        }
    }

    /** As Jetty has addresses of IPv6. */
    private static void brackets() throws Exception {
        Settings settings = plain();
        settings.source = Settings.Source.PROXY;
        settings.proxyAddresses = Collections.singletonList("::1");
        Site site = site(settings, Cases::provider);
        String[][] peers = {{"[0:0:0:0:0:0:0:1]", null}, {"[0:0:0:0:0:0:0:2]", "not_from_proxy"}, {"[[::1]]", "not_from_proxy"},
            {"[::1", "not_from_proxy"}, {"::1]", "not_from_proxy"}};
        for (String[] peer : peers) {
            same("the peer " + peer[0], peer[1],
                site.identify(new Request("GET", "/", pairs(map(table, "ended").get("proxy_headers")), peer[0])).reason);
        }
    }

    private static void cookies() throws Exception {
        for (Map<String, Object> one : list(table, "cookies")) {
            List<String[]> headers = pairs(one.get("headers"));
            for (String line : texts(one.get("cookie"))) {
                headers.add(new String[] {"Cookie", line});
            }
            Site site = site(plain(), (path, fields) -> {
                if (!path.equals("/session")) {
                    return provider(path, fields);
                }
                if (!"__Host-drawbridge_session=opaque".equals(fields.get("Cookie")) || one.get("session") == null) {
                    throw new Unavailable("not to be asked");
                }
                return new Drawbridge.Reply(200, Collections.emptyList(), Json.write(one.get("session")));
            });
            Site.Identity identity;
            try {
                identity = site.identify(new Request("GET", "/", headers, ""));
            } catch (Unavailable away) {
                identity = new Site.Identity(null, "unavailable");
            }
            same(text(one, "id"), Arrays.asList(one.get("expect"), one.get("refused")),
                Arrays.asList(identity.user == null ? null : identity.user.subject, identity.reason));
        }
    }

    /** The fields of a question to Drawbridge. */
    private static Map<String, String> question(String cookie) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("Cookie", cookie);
        fields.put("Drawbridge-Question", "1");
        return fields;
    }

    private static final String ALICE = "{\"authenticated\":true,\"sub\":\"alice\"}";

    private static Request visitor() {
        return new Request("GET", "/", Collections.singletonList(new String[] {"Cookie", "__Host-drawbridge_session=opaque"}), "");
    }

    private static Map<String, Object> identity(Site site, Request request) throws Unavailable {
        Site.Identity found = site.identify(request);
        Map<String, Object> got = new LinkedHashMap<>();
        if (found.user == null) {
            got.put("refused", found.reason);
        } else {
            got.put("name", found.user.name);
            got.put("email", found.user.email);
            got.put("groups", found.user.groups);
        }
        return got;
    }

    private static void identities() throws Exception {
        String secret = "proxy-secret-of-the-tests-32-chars";
        for (Map<String, Object> one : list(table, "identities")) {
            List<String[]> headers = pairs(one.get("headers"));
            headers.add(new String[] {"X-Auth-Subject", "alice"});
            headers.add(new String[] {"X-Auth-Session", "s-1"});
            Settings settings = plain();
            settings.source = Settings.Source.SESSION;
            settings.identity = texts(one.get("identity"));
            String wanted = "/auth/check?identity=" + String.join(",", settings.identity);
            Site asked = site(settings, (path, fields) -> {
                if (!fields.equals(question("__Host-drawbridge_session=opaque"))
                    || !path.equals("/session") && (!path.equals(wanted) || settings.identity.isEmpty())) {
                    throw new IllegalStateException("not to be asked: " + path + fields);
                }
                return new Drawbridge.Reply(200, path.equals(wanted) ? headers : Collections.emptyList(), ALICE);
            });
            boolean isRefused = map(one, "expect").containsKey("refused");
            try {
                same(text(one, "id") + ": asked for", isRefused ? "unavailable" : one.get("expect"), identity(asked, visitor()));
            } catch (Unavailable away) {
                same(text(one, "id") + ": asked for", true, isRefused);
            }
            Settings behind = plain();
            behind.source = Settings.Source.PROXY;
            behind.proxySecret = secret;
            behind.identity = settings.identity;
            List<String[]> all = new ArrayList<>(headers);
            all.add(new String[] {"X-Drawbridge-Proxy", secret});
            all.add(new String[] {"Host", "www.example.com"});
            same(text(one, "id"), one.get("expect"), identity(site(behind, Cases::provider), new Request("GET", "/", all, "")));
        }
        for (Map<String, Object> one : list(table, "identity_answers")) {
            Settings settings = plain();
            settings.source = Settings.Source.SESSION;
            settings.identity = Collections.singletonList("name");
            Site site = site(settings, (path, fields) -> path.equals("/session")
                ? new Drawbridge.Reply(200, Collections.emptyList(), ALICE)
                : new Drawbridge.Reply(((Long) one.get("status")).intValue(), pairs(one.get("headers")), ""));
            String got;
            try {
                Site.Identity found = site.identify(visitor());
                got = found.user == null ? found.reason : found.user.subject;
            } catch (Unavailable away) {
                got = "unavailable";
            }
            same("identity asked for: " + one.get("id"), one.get("expect"), got);
        }
    }

    private static Object guarded(Site site, List<String> acr) {
        Site.Decision decision = site.guard(visitor(), acr, null);
        return decision.user != null ? decision.user.subject : decision.answer.status == 503 ? "unavailable" : decision.answer.status;
    }

    private static void outages() throws Exception {
        Settings session = plain();
        session.source = Settings.Source.SESSION;
        for (Map<String, Object> one : list(table, "outages")) {
            List<Map<String, Object>> current = new ArrayList<>();
            Site site = site(session, (path, fields) -> {
                asked++;
                long status = (Long) current.get(0).get(path.equals("/session") ? "session" : "check");
                if (status == 0) {
                    throw new Unavailable("down");
                }
                return new Drawbridge.Reply((int) status, Collections.singletonList(new String[] {"X-Auth-Subject", "alice"}), ALICE);
            });
            for (Map<String, Object> step : list(one, "steps")) {
                current.clear();
                current.add(step);
                now = (Long) step.get("now");
                same("outage: " + one.get("id") + " at " + now, Arrays.asList(step.get("expect"), step.get("asked")),
                    Arrays.asList(guarded(site, texts(step.get("acr"))), (long) asked));
            }
        }
        probe(session);
    }

    private static void probe(Settings session) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Site site = site(session, (path, fields) -> {
            asked++;
            if (asked == 1) {
                throw new Unavailable("down");
            }
            begun.countDown();
            try {
                goesOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException not) {
                throw new IllegalStateException(not);
            }
            return new Drawbridge.Reply(200, Collections.emptyList(), ALICE);
        });
        List<Object> found = Collections.synchronizedList(new ArrayList<>());
        found.add(guarded(site, Collections.emptyList()));
        now += 2;
        Thread probe = new Thread(() -> found.add(guarded(site, Collections.emptyList())));
        probe.start();
        begun.await(10, TimeUnit.SECONDS);
        found.add(guarded(site, Collections.emptyList()));
        found.add(asked);
        goesOn.countDown();
        probe.join();
        found.add(guarded(site, Collections.emptyList()));
        same("after an outage one at a time asks", Arrays.asList("unavailable", "unavailable", 2, "alice", "alice"), found);
    }

    private static void askedInVain() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Site site = site(plain(), (path, fields) -> {
            asked++;
            begun.countDown();
            try {
                goesOn.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException not) {
                throw new IllegalStateException(not);
            }
            throw new Unavailable("down");
        });
        String token = text(map(table, "ended"), "token");
        List<Object> found = Collections.synchronizedList(new ArrayList<>());
        Thread first = new Thread(() -> found.add(outcome(site, token)));
        first.start();
        begun.await(10, TimeUnit.SECONDS);
        // The time is past the pause, were that counted from the beginning of the question.
        now += 2;
        Thread second = new Thread(() -> found.add(outcome(site, token)));
        second.start();
        while (second.getState() != Thread.State.WAITING) {
            Thread.yield();
        }
        now += 1;
        goesOn.countDown();
        first.join();
        second.join();
        found.add(asked);
        now += 1;
        found.add(outcome(site, token));
        found.add(asked);
        now += 1;
        found.add(outcome(site, token));
        found.add(asked);
        same("after a Drawbridge that hung nobody who waited for keys asks again, and nobody else for two seconds",
            Arrays.asList("unavailable", "unavailable", 1, "unavailable", 1, "unavailable", 2), found);
    }

    private static void askedByOne() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Site site = site(plain(), (path, fields) -> {
            if (now > (Long) table.get("now")) {
                begun.countDown();
                try {
                    goesOn.await(10, TimeUnit.SECONDS);
                } catch (InterruptedException not) {
                    throw new IllegalStateException(not);
                }
            }
            return provider(path, fields);
        });
        String token = text(map(table, "ended"), "token");
        List<Object> found = Collections.synchronizedList(new ArrayList<>());
        found.add(outcome(site, token));
        now += 300;
        Thread first = new Thread(() -> found.add(outcome(site, token)));
        first.start();
        begun.await(10, TimeUnit.SECONDS);
        Thread second = new Thread(() -> found.add(outcome(site, token)));
        second.start();
        second.join(5_000);
        found.add("then the first");
        goesOn.countDown();
        first.join();
        second.join();
        found.add(asked);
        same("while one asks for keys the others use those they have", Arrays.asList("alice", "alice", "then the first", "alice", 2), found);
    }

    private static void full() throws Exception {
        Map<String, Object> webhook = map(map(table, "ended"), "webhook");
        Map<String, Object> logout = map(map(table, "ended"), "logout");
        site();
        Site site = new Site(plain(), () -> now, Cases::provider, new Memory(0), new Memory(1000));
        int[] handled = {0};
        for (Answer answer : Arrays.asList(site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> handled[0]++),
            site.backchannelLogout(bytes(text(logout, "form")), claims -> handled[0]++))) {
            same("while the ended sessions are full a notice comes again unhandled", Arrays.asList(503, "full", 0),
                Arrays.asList(answer.status, result(answer), handled[0]));
        }
        String token = text(map(table, "ended"), "token");
        site = new Site(plain(), () -> now, Cases::provider, new Memory(1000), new Memory(0));
        same("while the notices are full one is handled", "handled",
            result(site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> handled[0]++)));
        same("by the handler, and the session has ended", Arrays.asList(1, "ended"), Arrays.asList(handled[0], outcome(site, token)));
        Memory notices = new Memory(2);
        site = new Site(plain(), () -> now, Cases::provider, new Memory(1000), notices);
        notices.add("a", now + 86_400, now);
        notices.add("b", now + 86_400, now);
        same("notices of others keep none away", "handled",
            result(site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> { })));
        site = new Site(plain(), () -> now, Cases::provider, new Memory(1000), new Memory(1));
        for (String expected : new String[] {"handled", "known"}) {
            same("what was handled is remembered in the last place that there is", expected,
                result(site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> { })));
        }
        forgotten();
    }

    /** One account ends sessions in a loop. */
    private static void forgotten() throws Exception {
        Map<String, Object> ended = map(table, "ended");
        Map<String, Object> webhook = map(ended, "webhook");
        site();
        Site site = new Site(plain(), () -> now, Cases::provider, new Memory(2), new Memory(1000));
        site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> { });
        List<Object> found = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Map<String, Object> more = list(ended, "more").get(i);
            now = (Long) more.get("now");
            found.add(result(site.webhook(bytes(text(more, "body")), text(more, "header"), event -> { })));
            found.add(outcome(site, text(ended, "lasting_token")));
            found.add(outcome(site, text(ended, "other_lasting_token")));
            found.add(outcome(site, text(ended, "later_token")));
        }
        same("more ends than there is room for are handled, and tokens that are older than a forgotten one are nobody's",
            Arrays.asList("handled", "ended", "alice", "alice", "handled", "ended", "ended", "alice"), found);
    }

    private static void rotation() {
        for (Map<String, Object> one : list(table, "rotation")) {
            Site site = site();
            for (Map<String, Object> step : list(one, "steps")) {
                now = (Long) step.get("now");
                serves = step.get("serves");
                same(one.get("id") + " at " + now, Arrays.asList(step.get("expect"), step.get("fetches")),
                    Arrays.asList(outcome(site, text(step, "token")), (long) asked));
            }
        }
    }

    private static void returns() {
        for (Map<String, Object> one : list(table, "returns")) {
            Request request = new Request(text(one, "method"), text(one, "target"), pairs(one.get("headers")), "");
            Settings settings = plain();
            if (one.containsKey("sign_in")) {
                settings.signIn = text(one, "sign_in");
            }
            Answer answer = site(settings, Cases::provider).guard(request, Collections.emptyList(), null).answer;
            Map<String, Object> expect = map(one, "expect");
            same(text(one, "id"),
                Arrays.asList(expect.get("status"), expect.get("location"), expect.get("challenge"), expect.get("type"),
                    texts(expect.get("cookies"))),
                Arrays.asList((long) answer.status, answer.header("Location"), answer.header("WWW-Authenticate"),
                    answer.header("Content-Type"), cookies(answer)));
            if (expect.containsKey("body")) {
                same(text(one, "id") + ": body", expect.get("body"), answer.body);
            }
        }
    }

    private static List<String> cookies(Answer answer) {
        List<String> cookies = new ArrayList<>();
        for (String[] pair : answer.headers) {
            if (pair[0].equals("Set-Cookie")) {
                cookies.add(pair[1]);
            }
        }
        return cookies;
    }

    private static Request withCookie(String token, String target) {
        return new Request("GET", target, Arrays.asList(
            new String[] {"Cookie", "vagov_access_token=" + token}, new String[] {"Accept", "text/html"}), "");
    }

    private static void demands() {
        for (Map<String, Object> one : list(table, "demands")) {
            Site site = site(plain(), (path, headers) -> path.contains("check")
                ? new Drawbridge.Reply(401, Collections.emptyList(), "") : provider(path, headers));
            Site.Decision decision = site.guard(withCookie(text(one, "token"), "/"), texts(one.get("acr")), (Long) one.get("max_age"));
            same(text(one, "id"), one.get("expect"),
                decision.user != null ? decision.user.subject : decision.answer.header("WWW-Authenticate"));
        }
    }

    private static void proxyDemands() {
        for (Map<String, Object> one : list(table, "proxy_demands")) {
            Settings settings = plain();
            settings.source = Settings.Source.PROXY;
            settings.proxySecret = text(map(table, "ended"), "proxy_secret");
            Site site = site(settings, (path, headers) -> {
                throw new Unavailable("down");
            });
            Site.Decision decision = site.guard(new Request("GET", "/", pairs(one.get("headers")), ""), texts(one.get("acr")), null);
            same("demand behind a proxy: " + text(one, "id"), one.get("expect"),
                decision.user != null ? decision.user.subject : decision.answer.header("WWW-Authenticate"));
        }
    }

    private static void stepUps() {
        for (Map<String, Object> one : list(table, "step_ups")) {
            Settings settings = plain();
            settings.source = Settings.Source.valueOf(text(one, "source").toUpperCase(Locale.ROOT));
            List<Object> questions = new ArrayList<>();
            Site site = site(settings, (path, fields) -> {
                if (path.equals("/.well-known/jwks.json")) {
                    return provider(path, fields);
                }
                questions.add(Arrays.asList(path, fields.get("Cookie")));
                if (path.equals("/session")) {
                    return new Drawbridge.Reply(200, Collections.emptyList(), Json.write(one.get("session")));
                }
                Map<String, Object> said = map(one, "check");
                return new Drawbridge.Reply(((Long) said.get("status")).intValue(), pairs(said.get("headers")), "");
            });
            List<String[]> headers = pairs(one.get("headers"));
            for (String line : texts(one.get("cookie"))) {
                headers.add(new String[] {"Cookie", line});
            }
            Site.Decision decision = site.guard(new Request("GET", text(one, "target"), headers, ""), texts(one.get("acr")), null);
            Map<String, Object> got = new LinkedHashMap<>();
            if (decision.user != null) {
                got.put("user", decision.user.subject);
            } else {
                got.put("status", (long) decision.answer.status);
                got.put("location", decision.answer.header("Location"));
                got.put("cookies", cookies(decision.answer));
            }
            same("step-up: " + one.get("id"), Arrays.asList(one.get("expect"), one.get("asked")), Arrays.asList(got, questions));
        }
    }

    private static String result(Answer answer) throws Json.Malformed {
        return text(Json.object(answer.body), "result");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void notices(String kind) throws Exception {
        for (Map<String, Object> one : list(table, kind)) {
            Site site = site();
            int[] heard = {0};
            int expected = 0;
            for (Map<String, Object> step : list(one, "steps")) {
                now = (Long) step.get("now");
                Answer answer = kind.equals("webhooks")
                    ? site.webhook(bytes(text(step, "body")), text(step, "header"), event -> heard[0]++)
                    : site.backchannelLogout(bytes(text(step, "form")), claims -> heard[0]++);
                same(kind + ": " + one.get("id"), Arrays.asList(step.get("status"), step.get("expect")),
                    Arrays.asList((long) answer.status, result(answer)));
                expected += "handled".equals(step.get("expect")) ? 1 : 0;
            }
            same(kind + ": " + one.get("id") + ": handled", expected, heard[0]);
        }
    }

    private static void ended() throws Exception {
        Map<String, Object> ended = map(table, "ended");
        Site site = site();
        same("before the end", "alice", outcome(site, text(ended, "token")));
        site.webhook(bytes(text(map(ended, "webhook"), "body")), text(map(ended, "webhook"), "header"), event -> { });
        same("an ended session is nobody's", "ended", outcome(site, text(ended, "token")));
        site.backchannelLogout(bytes(text(map(ended, "logout"), "form")), claims -> { });
        same("a session that logged out is nobody's", "ended", outcome(site, text(ended, "logged_out_token")));
        same("another session goes on", "alice", outcome(site, text(ended, "other_token")));

        Site later = site();
        later.webhook(bytes(text(map(ended, "webhook"), "body")), text(map(ended, "webhook"), "header"), event -> { });
        now = (Long) ended.get("late");
        same("a session that ended stays nobody's for as long as its tokens may live", "ended",
            outcome(later, text(ended, "lasting_token")));

        Settings settings = plain();
        settings.source = Settings.Source.PROXY;
        settings.proxySecret = text(ended, "proxy_secret");
        Site proxied = site(settings, Cases::provider);
        Request request = new Request("GET", "/", pairs(ended.get("proxy_headers")), "");
        same("before the end, by the proxy", "alice", proxied.identify(request).user.subject);
        proxied.webhook(bytes(text(map(ended, "webhook"), "body")), text(map(ended, "webhook"), "header"), event -> { });
        same("what a proxy says of a session that ended is nobody's", "ended", proxied.identify(request).reason);
    }

    /** What its maker does with the settings afterwards is not the site's. */
    private static void copied() throws Exception {
        Settings settings = plain();
        settings.source = Settings.Source.PROXY;
        settings.proxyAddresses = new ArrayList<>(Collections.singletonList("10.1.0.0/16"));
        Site site = site(settings, Cases::provider);
        Request forged = new Request("GET", "/", pairs(map(table, "ended").get("proxy_headers")), "203.0.113.9");
        List<Object> found = new ArrayList<>();
        settings.proxyAddresses.clear();
        settings.proxySecret = text(map(table, "ended"), "proxy_secret");
        found.add(site.identify(forged).reason);
        // A request of the first site while the second one reads the same settings.
        settings.proxyAddresses = new AbstractList<String>() {
            @Override
            public String get(int index) {
                try {
                    found.add(site.identify(forged).reason);
                } catch (Unavailable never) {
                    found.add("unavailable");
                }
                return "0.0.0.0/0";
            }

            @Override
            public int size() {
                return 1;
            }
        };
        new Site(settings);
        found.add(site.identify(forged).reason);
        same("whoever is not the proxy stays so", Collections.singleton("not_from_proxy"), new LinkedHashSet<>(found));
        same("at each time", true, found.size() >= 3);
    }

    private interface Change {
        void apply(Settings settings);
    }

    private static void settings() {
        Change[] changes = {
            s -> s.source = Settings.Source.PROXY, s -> s.source = null, s -> s.issuer = null, s -> s.clientId = null,
            s -> { s.source = Settings.Source.PROXY; s.proxySecret = "short"; },
            s -> { s.source = Settings.Source.PROXY; s.proxyAddresses = Collections.singletonList("proxy"); },
            s -> s.hosts = Collections.singletonList("https://www.example.com"), s -> s.hosts = Collections.singletonList(""),
            s -> s.origin = "http://www.example.com", s -> s.issuer = "http://id.example.com",
            s -> s.webhookSecrets = Collections.singletonList("short"), s -> s.leeway = 600,
            s -> s.logoutAlgorithms = Collections.singletonList("HS256"),
            s -> s.drawbridge = "http://drawbridge.internal:8080",
            s -> { s.source = Settings.Source.SESSION; s.identity = Collections.singletonList("phone"); },
            s -> s.identity = Collections.singletonList("name"),
            s -> { s.source = Settings.Source.SESSION; s.identity = Collections.singletonList("name"); s.drawbridge = null; },
        };
        for (int i = 0; i < changes.length; i++) {
            Settings settings = plain();
            changes[i].apply(settings);
            String got = "taken";
            try {
                site(settings, Cases::provider);
            } catch (IllegalArgumentException refused) {
                got = "refused";
            }
            same("settings that would believe anybody: " + i, "refused", got);
        }
    }

    private static void receivers() throws Exception {
        Map<String, Object> webhook = map(map(table, "ended"), "webhook");
        Map<String, Object> logout = map(map(table, "ended"), "logout");
        Settings mute = plain();
        mute.webhookSecrets = Collections.emptyList();
        String got = "answered";
        try {
            site(mute, Cases::provider).webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> { });
        } catch (IllegalArgumentException refused) {
            got = "an error";
        }
        same("a webhook without the settings that it needs", "an error", got);
        Change[] changes = {s -> s.issuer = null, s -> s.clientId = null, s -> s.clientId = ""};
        for (int i = 0; i < changes.length; i++) {
            Settings settings = plain();
            settings.source = Settings.Source.SESSION;
            changes[i].apply(settings);
            Site site = site(settings, Cases::provider);
            got = "answered";
            try {
                site.backchannelLogout(bytes(text(logout, "form")), claims -> { });
            } catch (IllegalArgumentException refused) {
                got = "an error";
            }
            same("a logout token without the settings that it needs: " + i, "an error", got);
            same("a webhook without them: " + i, "handled",
                result(site.webhook(bytes(text(webhook, "body")), text(webhook, "header"), event -> { })));
        }
        for (String broken : new String[] {"down", "garbage"}) {
            Site site = site();
            serves = broken;
            same("a logout token comes again when keys cannot be had: " + broken, 503,
                site.backchannelLogout(bytes(text(logout, "form")), claims -> { }).status);
        }
    }

    /** Somebody sends a byte now and then: each is in time, all together are not. */
    private static void trickle() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    for (int i = 0; i < 1000; i++) {
                        socket.getOutputStream().write('x');
                        Thread.sleep(20);
                    }
                } catch (Exception closed) {
                    // Given up, as it should be.
                }
            });
            thread.setDaemon(true);
            thread.start();
            Settings settings = new Settings();
            settings.source = Settings.Source.SESSION;
            settings.origin = "http://127.0.0.1:" + server.getLocalPort();
            Site site = new Site(settings);
            site.patience = 300;
            Request request = new Request("GET", "/", Collections.singletonList(
                new String[] {"Cookie", "__Host-drawbridge_session=abc"}), "");
            same("an answer that trickles is given up", 503, site.guard(request, Collections.emptyList(), null).answer.status);
            same("in time", true, thread.isAlive());
        }
    }

    /** An answer that leads elsewhere, is too long or is cut off is no answer, and nobody is asked elsewhere. */
    private static void answers() throws Exception {
        try (ServerSocket elsewhere = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            String redirect = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:" + elsewhere.getLocalPort()
                + "/session\r\nContent-Length: " + ALICE.length() + "\r\n\r\n" + ALICE;
            String ok = "HTTP/1.1 200 OK\r\n";
            char[] spaces = new char[262_144 - ALICE.length()];
            Arrays.fill(spaces, ' ');
            String longest = ALICE + new String(spaces);
            String chunk = Integer.toHexString(ALICE.length()) + "\r\n" + ALICE + "\r\n";
            same("an answer that leads elsewhere", 503, answered(redirect));
            same("the longest answer", "alice", answered(ok + "Content-Length: 262144\r\n\r\n" + longest));
            same("one that says that it is longer", 503, answered(ok + "Content-Length: 262145\r\n\r\n" + longest + " "));
            same("one that is longer and does not say it", 503, answered(ok + "\r\n" + longest + " "));
            same("one that is longer in chunks", 503, answered(
                ok + "Transfer-Encoding: chunked\r\n\r\n40000\r\n" + longest + "\r\n1\r\n \r\n0\r\n\r\n"));
            same("one that is cut off", 503, answered(ok + "Content-Length: " + (ALICE.length() + 1) + "\r\n\r\n" + ALICE));
            same("one whose last chunk is missing", 503, answered(ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk));
            elsewhere.setSoTimeout(1);
            String asked = "nobody";
            try (Socket somebody = elsewhere.accept()) {
                asked = somebody.toString();
            } catch (java.net.SocketTimeoutException none) {
                // As it should be.
            }
            same("nobody is asked elsewhere", "nobody", asked);
        }
    }

    /** Who is here, or the status, where Drawbridge answers so. */
    private static Object answered(String answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                try (Socket one = server.accept()) {
                    one.getInputStream().read(new byte[8192]);
                    one.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException closed) {
                    // The other side had enough.
                }
            });
            thread.setDaemon(true);
            thread.start();
            Settings settings = new Settings();
            settings.source = Settings.Source.SESSION;
            settings.origin = "http://127.0.0.1:" + server.getLocalPort();
            Site.Decision decision = new Site(settings).guard(visitor(), Collections.emptyList(), null);
            return decision.user != null ? decision.user.subject : (Object) decision.answer.status;
        }
    }

    /** Cookies that the rest of the process keeps would go along with every visitor's own. */
    private static void others() throws Exception {
        CookieHandler before = CookieHandler.getDefault();
        CookieHandler.setDefault(new CookieManager(null, CookiePolicy.ACCEPT_ALL));
        List<String> heard = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 2; i++) {
                    try (Socket one = server.accept()) {
                        BufferedReader in = new BufferedReader(new InputStreamReader(one.getInputStream(), StandardCharsets.ISO_8859_1));
                        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                            if (line.toLowerCase(Locale.ROOT).startsWith("cookie:")) {
                                heard.add(line.substring(7).trim());
                            }
                        }
                        String body = "{\"authenticated\":true,\"sub\":\"alice\"}";
                        one.getOutputStream().write(("HTTP/1.1 200 OK\r\nSet-Cookie: __Host-drawbridge_session=alices; Path=/\r\nContent-Length: "
                            + body.length() + "\r\nConnection: close\r\n\r\n" + body).getBytes(StandardCharsets.ISO_8859_1));
                    } catch (IOException gone) {
                        heard.add(gone.toString());
                    }
                }
            });
            thread.start();
            Settings settings = plain();
            settings.source = Settings.Source.SESSION;
            settings.origin = "http://127.0.0.1:" + server.getLocalPort();
            settings.drawbridge = settings.origin;
            Site site = new Site(settings);
            for (String visitor : Arrays.asList("alices", "bobs")) {
                Request request = new Request(
                    "GET", "/", Collections.singletonList(new String[] {"Cookie", "__Host-drawbridge_session=" + visitor}), "");
                site.guard(request, Collections.emptyList(), null);
            }
            thread.join(5000);
        } finally {
            CookieHandler.setDefault(before);
        }
        same("each visitor's cookie alone is sent on", Arrays.asList("__Host-drawbridge_session=alices", "__Host-drawbridge_session=bobs"), heard);
    }

    private static void own() throws Exception {
        // Which the tests of a website's own pages need.
        User alice = new User("alice", "s-1", "aal2", Arrays.asList("pwd", "otp"), 7L, "Alice", null, Collections.singletonList("staff"));
        same("a user can be made", Arrays.asList("alice", "s-1", "aal2", Arrays.asList("pwd", "otp"), 7L, "Alice", null,
            Collections.singletonList("staff")), Arrays.asList(alice.subject, alice.session, alice.acr, alice.amr, alice.authTime,
            alice.name, alice.email, alice.groups));
        same("from every package", 1, User.class.getConstructors().length);

        Memory memory = new Memory(2);
        same("in a full memory the oldest makes room", Arrays.asList("new", "new", "new", "known", false, true, 10L), Arrays.asList(
            memory.add("a", 10, 0), memory.add("b", 11, 0), memory.add("c", 12, 0), memory.add("b", 20, 0), memory.has("a", 0),
            memory.has("b", 0), memory.forgotten()));
        same("but whose time is over is not forgotten early", Arrays.asList("new", "new", 10L),
            Arrays.asList(memory.add("d", 30, 15), memory.add("c", 30, 15), memory.forgotten()));
        same("a memory without any room is full", "full", new Memory(0).add("a", 10, 0));

        Site site = site();
        Map<String, Object> step = list(list(table, "webhooks").get(0), "steps").get(0);
        try {
            site.webhook(bytes(text(step, "body")), text(step, "header"), event -> {
                throw new IllegalStateException("failed");
            });
            same("a handler that fails is heard of", true, false);
        } catch (IllegalStateException failed) {
            same("a notice whose handling failed comes again", "handled",
                result(site.webhook(bytes(text(step, "body")), text(step, "header"), event -> { })));
        }

        Site other = site();
        List<Object> said = new ArrayList<>();
        Site.Handler none = event -> { };
        try {
            other.webhook(bytes(text(step, "body")), text(step, "header"), event -> {
                Answer repeat = other.webhook(bytes(text(step, "body")), text(step, "header"), none);
                said.addAll(Arrays.asList(repeat.status, result(repeat)));
                throw new IllegalStateException("failed");
            });
        } catch (IllegalStateException failed) {
            for (int i = 0; i < 2; i++) {
                said.add(result(other.webhook(bytes(text(step, "body")), text(step, "header"), none)));
            }
        }
        same("a repeat of a notice in hand is sent again", Arrays.asList(503, "in_hand", "handled", "known"), said);
        trickle();
        others();
        answers();

        String[][] answers = {{"500", "", "503"}, {"200", "<html>", "503"}, {"200", "{\"authenticated\":true}", "503"}, {"303", "", "503"},
            {"200", "{\"authenticated\":\"true\",\"sub\":\"alice\"}", "401"}, {"200", "{}", "401"}};
        Settings session = plain();
        session.source = Settings.Source.SESSION;
        Request request = new Request("GET", "/", Arrays.asList(
            new String[] {"Cookie", "shop=1; __Host-drawbridge_session=abc"}, new String[] {"X-Auth-Subject", "bob"}), "");
        for (String[] one : answers) {
            site = site(session, (path, headers) -> new Drawbridge.Reply(Integer.parseInt(one[0]), Collections.emptyList(), one[1]));
            same("a session that cannot be asked: " + one[1], one[2], String.valueOf(site.guard(request, Collections.emptyList(), null).answer.status));
        }
        List<Object> questions = new ArrayList<>();
        site = site(session, (path, headers) -> {
            questions.add(Arrays.asList(path, headers));
            return new Drawbridge.Reply(200, Collections.emptyList(),
                "{\"authenticated\":true,\"sub\":\"alice\",\"auth_time\":\"2027-01-15T08:00:00.000Z\"}");
        });
        User user = site.guard(request, Collections.emptyList(), null).user;
        same("the session is asked", Arrays.asList("alice", 1_800_000_000L), Arrays.asList(user.subject, user.authTime));
        same("with Drawbridge's cookies alone", Collections.singletonList(
            Arrays.asList("/session", question("__Host-drawbridge_session=abc"))), questions);
        List<Object> forKeys = new ArrayList<>();
        outcome(site(plain(), (path, headers) -> {
            forKeys.add(Arrays.asList(path, headers));
            return provider(path, headers);
        }), text(map(table, "ended"), "token"));
        same("keys are asked for as everything is", Collections.singletonList(
            Arrays.asList("/.well-known/jwks.json", Collections.singletonMap("Drawbridge-Question", "1"))), forKeys);

        // As List.of, which Java 8 has not.
        List<String> throwing = new AbstractList<String>() {
            @Override
            public String get(int index) {
                return "aal9";
            }

            @Override
            public int size() {
                return 1;
            }

            @Override
            public boolean contains(Object value) {
                return value.equals("aal9");
            }
        };
        site = site(session, (path, headers) -> path.equals("/session")
            ? new Drawbridge.Reply(200, Collections.emptyList(), "{\"authenticated\":true,\"sub\":\"alice\"}")
            : new Drawbridge.Reply(401, Collections.emptyList(), ""));
        same("a list that throws for null, and a session without acr",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"aal9\"",
            site.guard(request, throwing, null).answer.header("WWW-Authenticate"));

        char[] spaces = new char[16_000];
        Arrays.fill(spaces, ' ');
        Request spacious = new Request("GET", "/", Collections.singletonList(
            new String[] {"Cookie", "a" + new String(spaces) + "b; access_token=x \t"}), "");
        long begun = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            same("a cookie field that is all spaces", Collections.singletonList("x"), spacious.cookies("access_token"));
        }
        same("it holds nobody up", true, System.nanoTime() - begun < 1_000_000_000L);

        Object[][] ways = {{302, "Location", "/sign-in?redirect=%2Fx", "303"}, {200, "X-Auth-Subject", "alice", "alice"},
            {200, "X-Auth-Subject", "bob", "303"}, {500, "Server", "x", "503"}};
        for (Object[] way : ways) {
            site = site(plain(), (path, headers) -> path.equals("/auth/check?acr=aal9&max_age=5&redirect=%2Fx")
                ? new Drawbridge.Reply((int) way[0], Collections.singletonList(new String[] {(String) way[1], (String) way[2]}), "")
                : provider(path, headers));
            Site.Decision decision = site.guard(
                withCookie(text(map(table, "ended"), "token"), "/x"), Collections.singletonList("aal9"), 5L);
            same("step-up: " + way[2], way[3], decision.user != null ? decision.user.subject : String.valueOf(decision.answer.status));
        }
    }
}
