package android.webkit;

import java.util.ArrayList;
import java.util.List;

public class CookieManager {
    private static final CookieManager ONE = new CookieManager();
    /** What happened in web views, in order: of the stand-in alone. */
    public static final List<String> SEEN = new ArrayList<>();
    /** Whether it stores what it is given: of the stand-in alone. */
    public static boolean stores = true;

    public static CookieManager getInstance() {
        return ONE;
    }

    public void setAcceptCookie(boolean accept) {
    }

    public void setCookie(String url, String value, ValueCallback<Boolean> callback) {
        SEEN.add(url + " " + value);
        callback.onReceiveValue(stores);
    }

    public void flush() {
    }
}
