package drawbridge.client;

/** The app's web view: {@code CookieManager} and {@code WebView.loadUrl} on Android. */
public interface WebView {
    void setCookie(WebViewCookie cookie);

    void removeCookie(String name, String domain, String path, String url);

    void load(String url);
}
