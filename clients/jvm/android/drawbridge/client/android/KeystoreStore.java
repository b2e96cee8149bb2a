package drawbridge.client.android;

import android.content.Context;
import android.content.SharedPreferences;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.KeyProperties;
import drawbridge.client.Store;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
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
    private final SecretKey key;

    public KeystoreStore(Context context, String name) throws Exception {
        this(context.getSharedPreferences(name, Context.MODE_PRIVATE), key(name));
    }

    KeystoreStore(SharedPreferences preferences, SecretKey key) {
        this.preferences = preferences;
        this.key = key;
    }

    private static synchronized SecretKey key(String alias) throws Exception {
        KeyStore store = KeyStore.getInstance("AndroidKeyStore");
        store.load(null);
        if (!store.containsAlias(alias)) {
            KeyGenerator generator = KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, "AndroidKeyStore");
            generator.init(new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_ENCRYPT | KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM).setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
                .setKeySize(256).build());
            generator.generateKey();
        }
        return (SecretKey) store.getKey(alias, null);
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
        String sealed = sealed(key, name, value);
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
