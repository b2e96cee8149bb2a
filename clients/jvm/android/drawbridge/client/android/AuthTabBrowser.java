package drawbridge.client.android;

import android.content.Intent;
import android.net.Uri;
import androidx.activity.result.ActivityResultLauncher;
import androidx.browser.auth.AuthTabIntent;

/**
 * An Auth Tab: the browser itself hands the answer back, so that no other app can take it. Register the launcher in the
 * activity's {@code onCreate} by {@code AuthTabIntent.registerActivityResultLauncher(this, browser::onResult)}.
 */
public final class AuthTabBrowser extends WaitingBrowser {
    private final String scheme;
    private ActivityResultLauncher<Intent> launcher;

    /**
     * @param scheme of the redirect URI, such as {@code com.example.app}
     * @param seconds how long the person may take
     */
    public AuthTabBrowser(String scheme, long seconds) {
        super(seconds);
        this.scheme = scheme;
    }

    /** Of the activity that is shown; a new one for each. */
    public void use(ActivityResultLauncher<Intent> launcher) {
        this.launcher = launcher;
    }

    @Override
    void show(String address) {
        new AuthTabIntent.Builder().build().launch(launcher, Uri.parse(address), scheme);
    }

    public void onResult(AuthTabIntent.AuthResult result) {
        if (result.resultCode == AuthTabIntent.RESULT_OK) {
            take(String.valueOf(result.resultUri));
        } else {
            fail("cancelled");
        }
    }
}
