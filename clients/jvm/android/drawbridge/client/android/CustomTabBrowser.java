package drawbridge.client.android;

import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import androidx.browser.customtabs.CustomTabsIntent;
import drawbridge.client.DrawbridgeException;

/**
 * A Custom Tab. The answer comes to an activity of the app with an intent filter for the redirect URI; use an App Link
 * (https, verified) where you can, because any other app may claim a scheme. Hand its intents to {@link #onNewIntent}, and
 * call {@link #onReturned} when the person comes back without one.
 */
public final class CustomTabBrowser extends WaitingBrowser {
    private final Context context;

    /** @param seconds how long the person may take */
    public CustomTabBrowser(Context context, long seconds) {
        super(seconds);
        this.context = context;
    }

    @Override
    void show(String address) {
        CustomTabsIntent tab = new CustomTabsIntent.Builder().build();
        tab.intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        tab.launchUrl(context, Uri.parse(address));
    }

    /** @return whether it was this sign-in's answer */
    public boolean onNewIntent(Intent intent) {
        return take(intent.getDataString());
    }

    /** The person came back to the app and brought nothing: cancelled. Does nothing once the answer is there. */
    public void onReturned() {
        fail(new DrawbridgeException("cancelled"));
    }
}
