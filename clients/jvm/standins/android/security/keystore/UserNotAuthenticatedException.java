package android.security.keystore;

import java.security.InvalidKeyException;

public class UserNotAuthenticatedException extends InvalidKeyException {
    private static final long serialVersionUID = 1;

    public UserNotAuthenticatedException() {
    }
}
