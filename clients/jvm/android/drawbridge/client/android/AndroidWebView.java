package drawbridge.client.android;

import android.os.Handler;
import android.os.Looper;
import android.webkit.CookieManager;
import drawbridge.client.WebView;
import drawbridge.client.WebViewCookie;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The app's web view: its cookies are there before the first load, which goes out when the last of them is stored. */
public final class AndroidWebView implements WebView {
    private static final long SECONDS = 10;

    private final android.webkit.WebView view;

    public AndroidWebView(android.webkit.WebView view) {
        this.view = view;
    }

    @Override
    public void setCookie(WebViewCookie cookie) {
        store(cookie.url, cookie.header());
    }

    @Override
    public void removeCookie(String name, String domain, String path, String url) {
        store(url, name + "=; Path=" + path + (domain == null ? "" : "; Domain=" + domain) + "; Max-Age=0; Secure");
    }

    @Override
    public void load(String url) {
        new Handler(Looper.getMainLooper()).post(() -> view.loadUrl(url));
    }

    private void store(String url, String line) {
        CountDownLatch done = new CountDownLatch(1);
        AtomicBoolean isStored = new AtomicBoolean();
        new Handler(Looper.getMainLooper()).post(() -> {
            CookieManager cookies = CookieManager.getInstance();
            cookies.setAcceptCookie(true);
            cookies.setCookie(url, line, stored -> {
                isStored.set(Boolean.TRUE.equals(stored));
                done.countDown();
            });
        });
        try {
            if (!done.await(SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the web view does not take cookies; do not call this on the main thread");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted");
        }
        if (!isStored.get()) {
            throw new IllegalStateException("the web view has refused a cookie");
        }
        CookieManager.getInstance().flush();
    }
}
