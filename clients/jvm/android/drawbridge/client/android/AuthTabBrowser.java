package drawbridge.client.android;

import android.content.Intent;
import android.net.Uri;
import androidx.activity.result.ActivityResultLauncher;
import androidx.browser.auth.AuthTabIntent;
import drawbridge.client.DrawbridgeException;

/**
 * An Auth Tab: the browser itself hands the answer back, so that no other app can take it. Register the launcher in the
 * activity's {@code onCreate} by {@code AuthTabIntent.registerActivityResultLauncher(this, browser::onResult)}.
 */
public final class AuthTabBrowser extends WaitingBrowser {
    private final String scheme;
    private final String host;
    private final String path;
    private ActivityResultLauncher<Intent> launcher;

    /**
     * @param scheme of the redirect URI, such as {@code com.example.app}
     * @param seconds how long the person may take
     */
    public AuthTabBrowser(String scheme, long seconds) {
        this(scheme, null, null, seconds);
    }

    /**
     * For an App Link (https): the browser asks the host's {@code assetlinks.json} whether it is this app's.
     *
     * @param host of the redirect URI, such as {@code app.example.com}
     * @param path of the redirect URI, such as {@code /callback}
     * @param seconds how long the person may take
     */
    public AuthTabBrowser(String host, String path, long seconds) {
        this(null, host, path, seconds);
    }

    private AuthTabBrowser(String scheme, String host, String path, long seconds) {
        super(seconds);
        this.scheme = scheme;
        this.host = host;
        this.path = path;
    }

    /** Of the activity that is shown; a new one for each. */
    public void use(ActivityResultLauncher<Intent> launcher) {
        this.launcher = launcher;
    }

    @Override
    void show(String address) {
        AuthTabIntent tab = new AuthTabIntent.Builder().build();
        if (scheme != null) {
            tab.launch(launcher, Uri.parse(address), scheme);
        } else {
            tab.launch(launcher, Uri.parse(address), host, path);
        }
    }

    public void onResult(AuthTabIntent.AuthResult result) {
        if (result.resultCode == AuthTabIntent.RESULT_OK) {
            take(String.valueOf(result.resultUri));
        } else if (result.resultCode == AuthTabIntent.RESULT_VERIFICATION_FAILED
            || result.resultCode == AuthTabIntent.RESULT_VERIFICATION_TIMED_OUT) {
            fail(new DrawbridgeException("configuration", "the browser could not verify that " + host + " is this app's"));
        } else {
            fail(new DrawbridgeException("cancelled"));
        }
    }
}
