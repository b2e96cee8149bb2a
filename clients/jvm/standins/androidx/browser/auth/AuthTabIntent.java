package androidx.browser.auth;

import android.content.Intent;
import android.net.Uri;
import androidx.activity.result.ActivityResultLauncher;

public class AuthTabIntent {
    public static final int RESULT_OK = -1;
    public static final int RESULT_CANCELED = 0;

    public void launch(ActivityResultLauncher<Intent> launcher, Uri address, String redirectScheme) {
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
