package android.webkit;

public class WebView {
    public void loadUrl(String url) {
        CookieManager.SEEN.add("load " + url);
    }
}
