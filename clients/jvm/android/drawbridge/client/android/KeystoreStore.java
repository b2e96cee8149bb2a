package drawbridge.client.android;

import android.content.Context;
import android.content.SharedPreferences;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.KeyProperties;
import android.security.keystore.UserNotAuthenticatedException;
import drawbridge.client.Store;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Secrets of one app, encrypted by a key of the Android Keystore (AES-GCM, the name is authenticated) in its private
 * preferences. Its locks hold within the process: run the library in one process of the app. Keep the file out of backups:
 * another device has no key for it, and what cannot be opened is dropped when it is read.
 */
public final class KeystoreStore implements Store {
    private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();
    /** In bytes, as the Keystore makes them. */
    private static final int NONCE = 12;

    private final SharedPreferences preferences;
    private final Keys keys;
    private volatile SecretKey key;

    /** The key that seals: another one where the last is lost for good. */
    interface Keys {
        SecretKey usable() throws Exception;
    }

    /** Open whenever the app runs. */
    public KeystoreStore(Context context, String name) throws Exception {
        this(context, name, 0);
    }

    /**
     * Open for some seconds after its owner has shown that it is them, by finger, face or the device's code: to
     * {@code BiometricPrompt}, or by unlocking the screen. Otherwise {@code get} and {@code set} throw
     * {@code UserNotAuthenticatedException}, and the library a {@code secret_store} with that name: ask, and call again. Ask
     * before each call of the library, and leave it minutes: what a renewal brings after the time cannot be kept. On a device
     * without a screen lock no such key can be made, so this constructor throws.
     *
     * @param authenticationSeconds 0: whoever uses the app is not asked. Another number is another key: what the last one
     *     sealed is dropped.
     */
    public KeystoreStore(Context context, String name, int authenticationSeconds) throws Exception {
        this(context.getSharedPreferences(name, Context.MODE_PRIVATE), () -> key(name, authenticationSeconds));
    }

    KeystoreStore(SharedPreferences preferences, Keys keys) throws Exception {
        this.preferences = preferences;
        this.keys = keys;
        key = keys.usable();
    }

    private static synchronized SecretKey key(String name, int authenticationSeconds) throws Exception {
        if (authenticationSeconds < 0) {
            throw new IllegalArgumentException("authenticationSeconds");
        }
        // A key keeps what it was made with, so one that asks has a name of its own.
        String alias = authenticationSeconds == 0 ? name : name + ":" + authenticationSeconds;
        KeyStore store = KeyStore.getInstance("AndroidKeyStore");
        store.load(null);
        SecretKey found = null;
        try {
            found = (SecretKey) store.getKey(alias, null);
        } catch (UnrecoverableKeyException lost) {
            // Invalidated, as a key that asks is where the screen's lock was taken off. With a cause it is a fault of the
            // Keystore that may pass, and a new key would take the old one's place for good.
            if (lost.getCause() != null) {
                throw lost;
            }
        }
        if (found != null && isUsable(found)) {
            return found;
        }
        KeyGenParameterSpec.Builder wanted =
            new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_ENCRYPT | KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM).setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
                .setKeySize(256);
        if (authenticationSeconds > 0) {
            // setUserAuthenticationParameters does the same from API 30 on.
            wanted.setUserAuthenticationRequired(true).setUserAuthenticationValidityDurationSeconds(authenticationSeconds);
        }
        KeyGenerator generator = KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, "AndroidKeyStore");
        generator.init(wanted.build());
        return generator.generateKey();
    }

    private static boolean isUsable(SecretKey key) throws GeneralSecurityException {
        try {
            Cipher.getInstance("AES/GCM/NoPadding").init(Cipher.ENCRYPT_MODE, key);
            return true;
        } catch (KeyPermanentlyInvalidatedException lost) {
            return false;
        } catch (UserNotAuthenticatedException later) {
            return true;
        }
    }

    @Override
    public String get(String name) throws Exception {
        String kept = preferences.getString(name, null);
        try {
            return kept == null ? null : opened(key, name, kept);
        } catch (AEADBadTagException | IllegalArgumentException | KeyPermanentlyInvalidatedException lost) {
            // Of another device by a backup, or damaged: no later try would open it, and the sign-out would stumble on it.
            synchronized (preferences) {
                if (kept.equals(preferences.getString(name, null))) {
                    remove(name);
                }
            }
            return null;
        }
    }

    @Override
    public void set(String name, String value) throws Exception {
        String sealed = sealed(name, value);
        synchronized (preferences) {
            done(preferences.edit().putString(name, sealed));
        }
    }

    @Override
    public void remove(String name) {
        done(preferences.edit().remove(name));
    }

    private static void done(SharedPreferences.Editor change) {
        // Not apply(), which writes some time later: a used-up refresh token would come back.
        if (!change.commit()) {
            throw new IllegalStateException("the preferences cannot be written");
        }
    }

    @Override
    public Lock lock(String name) {
        ReentrantLock lock = LOCKS.computeIfAbsent(name, none -> new ReentrantLock());
        lock.lock();
        return lock::unlock;
    }

    private String sealed(String name, String value) throws Exception {
        SecretKey last = key;
        try {
            return sealed(last, name, value);
        } catch (KeyPermanentlyInvalidatedException lost) {
            synchronized (this) {
                if (key == last) {
                    key = keys.usable();
                }
            }
            return sealed(key, name, value);
        }
    }

    static String sealed(SecretKey key, String name, String value) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        // The Keystore makes the nonce itself, and takes none of ours.
        cipher.init(Cipher.ENCRYPT_MODE, key);
        cipher.updateAAD(name.getBytes(StandardCharsets.UTF_8));
        byte[] text = cipher.doFinal(value.getBytes(StandardCharsets.UTF_8));
        byte[] nonce = cipher.getIV();
        return Base64.getEncoder().encodeToString(
            ByteBuffer.allocate(1 + nonce.length + text.length).put((byte) nonce.length).put(nonce).put(text).array());
    }

    static String opened(SecretKey key, String name, String kept) throws GeneralSecurityException {
        byte[] all = Base64.getDecoder().decode(kept);
        if (all.length <= 1 + NONCE || all[0] != NONCE) {
            throw new IllegalArgumentException("not what sealed gives");
        }
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, all, 1, all[0]));
        cipher.updateAAD(name.getBytes(StandardCharsets.UTF_8));
        return new String(cipher.doFinal(Arrays.copyOfRange(all, 1 + all[0], all.length)), StandardCharsets.UTF_8);
    }
}
