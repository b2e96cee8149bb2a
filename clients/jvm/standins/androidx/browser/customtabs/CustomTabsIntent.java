package androidx.browser.customtabs;

import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import java.util.function.Consumer;

public final class CustomTabsIntent {
    /** The person at the browser: of the stand-in alone. */
    public static Consumer<String> person;
    public final Intent intent = new Intent();

    private CustomTabsIntent() {
    }

    public void launchUrl(Context context, Uri address) {
        person.accept(address.toString());
    }

    public static final class Builder {
        public CustomTabsIntent build() {
            return new CustomTabsIntent();
        }
    }
}
