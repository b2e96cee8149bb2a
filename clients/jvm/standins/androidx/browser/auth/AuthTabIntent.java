package androidx.browser.auth;

import android.content.Intent;
import android.net.Uri;
import androidx.activity.result.ActivityResultLauncher;

public class AuthTabIntent {
    public static final int RESULT_OK = -1;
    public static final int RESULT_CANCELED = 0;
    public static final int RESULT_VERIFICATION_FAILED = 2;
    public static final int RESULT_VERIFICATION_TIMED_OUT = 3;
    /** What the answer is known by: of the stand-in alone. */
    public static String awaited;

    public void launch(ActivityResultLauncher<Intent> launcher, Uri address, String redirectScheme) {
        awaited = redirectScheme + ":";
        launcher.launch(new Intent().setData(address));
    }

    public void launch(ActivityResultLauncher<Intent> launcher, Uri address, String redirectHost, String redirectPath) {
        awaited = "https://" + redirectHost + redirectPath;
        launcher.launch(new Intent().setData(address));
    }

    public static final class Builder {
        public AuthTabIntent build() {
            return new AuthTabIntent();
        }
    }

    public static final class AuthResult {
        public final int resultCode;
        public final Uri resultUri;

        public AuthResult(int resultCode, Uri resultUri) {
            this.resultCode = resultCode;
            this.resultUri = resultUri;
        }
    }
}
