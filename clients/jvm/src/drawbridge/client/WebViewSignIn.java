package drawbridge.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Into the app's web view (contract §5.4, §6). */
final class WebViewSignIn {
    private static final String COOKIES = "application/vnd.drawbridge.cookies+json";

    private final Core core;

    WebViewSignIn(Core core) {
        this.core = core;
    }

    List<WebViewCookie> cookies(String url, String webViewClient) throws DrawbridgeException {
        core.settings.needClient();
        Address page = Address.of(url);
        if (page == null || page.isLoopback && !core.issuer.isLoopback) {
            throw DrawbridgeException.wrong("cookies go to https pages alone");
        }
        String endpoint = (String) core.provider.metadata().get("token_endpoint");
        String origin = Address.of(endpoint).host;
        Http given = core.renewal.withToken(own -> {
            SharedSignIn shared = core.sharedItem.current();
            if (shared == null || !shared.parts.subject().equals(own.subject)) {
                throw new DrawbridgeException("not_signed_in", "there is no device secret of this person");
            }
            Map<String, String> members = Form.members("grant_type", TokenEndpoint.EXCHANGE, "client_id", webViewClient,
                "subject_token", own.accessToken, "subject_token_type", TokenEndpoint.ACCESS_TOKEN,
                "actor_token", shared.deviceSecret, "actor_token_type", TokenEndpoint.DEVICE_SECRET);
            Http answer = core.transport.post(endpoint, members, COOKIES, own.bound);
            if (answer.status != 200) {
                throw core.failures.of(answer, "the token endpoint");
            }
            return answer;
        });
        String type = given.headers.getOrDefault("content-type", "").split(";")[0].trim().toLowerCase(Locale.ROOT);
        Object list = type.equals(COOKIES) ? Values.object(given.text).get("cookies") : null;
        List<WebViewCookie> fitting = new ArrayList<>();
        boolean isWhole = list instanceof List;
        for (Object one : isWhole ? (List<?>) list : Collections.emptyList()) {
            isWhole = isWhole && WebViewCookie.isOne(one);
            if (isWhole && WebViewCookie.reaches((Map<?, ?>) one, page.host, origin)) {
                fitting.add(new WebViewCookie((Map<?, ?>) one, url));
            }
        }
        if (!isWhole) {
            throw Failures.unexpected(given, webViewClient + " gets no cookies; its client needs delivery: cookies");
        }
        if (fitting.isEmpty()) {
            throw DrawbridgeException.wrong("the provider's cookies do not reach " + page.host);
        }
        return fitting;
    }

    void open(String url, String webViewClient) throws DrawbridgeException {
        if (core.settings.webView == null) {
            throw DrawbridgeException.wrong("openWebView needs a webView among the settings");
        }
        List<WebViewCookie> cookies = cookies(url, webViewClient);
        // Remembered first: what was set can be taken out again, by another process too.
        core.placed.remember(cookies);
        for (WebViewCookie cookie : cookies) {
            AppPart.stores(() -> {
                core.settings.webView.setCookie(cookie);
                return null;
            });
        }
        AppPart.hosted("the web view", () -> {
            core.settings.webView.load(url);
            return null;
        });
    }
}
