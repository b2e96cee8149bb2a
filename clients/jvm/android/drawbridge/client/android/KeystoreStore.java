package drawbridge.client.android;

import android.content.Context;
import android.content.SharedPreferences;
import android.security.keystore.KeyGenParameterSpec;
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
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Secrets of one app, encrypted by a key of the Android Keystore (AES-GCM, the name is authenticated) in its private
 * preferences. Its locks hold within the process: run the library in one process of the app. Keep the file out of backups;
 * another device has no key for it.
 */
public final class KeystoreStore implements Store {
    private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private final SharedPreferences preferences;
    private final SecretKey key;

    public KeystoreStore(Context context, String name) throws Exception {
        preferences = context.getSharedPreferences(name, Context.MODE_PRIVATE);
        key = key(name);
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
        return kept == null ? null : opened(key, name, kept);
    }

    @Override
    public void set(String name, String value) throws Exception {
        done(preferences.edit().putString(name, sealed(key, name, value)));
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
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, all, 1, all[0]));
        cipher.updateAAD(name.getBytes(StandardCharsets.UTF_8));
        return new String(cipher.doFinal(Arrays.copyOfRange(all, 1 + all[0], all.length)), StandardCharsets.UTF_8);
    }
}
