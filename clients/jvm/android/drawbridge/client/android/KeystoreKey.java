package drawbridge.client.android;

import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import drawbridge.client.ProofKey;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;

/** A key of the Android Keystore that tokens are bound to (DPoP, RFC 9449): it never leaves the device. */
public final class KeystoreKey implements ProofKey {
    private final PrivateKey key;
    private final ECPublicKey open;

    private KeystoreKey(PrivateKey key, ECPublicKey open) {
        this.key = key;
        this.open = open;
    }

    /** The key of this name; made when there is none. */
    public static synchronized KeystoreKey named(String alias) throws Exception {
        KeyStore store = KeyStore.getInstance("AndroidKeyStore");
        store.load(null);
        if (!store.containsAlias(alias)) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, "AndroidKeyStore");
            generator.initialize(new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
                .setAlgorithmParameterSpec(new ECGenParameterSpec("secp256r1"))
                .setDigests(KeyProperties.DIGEST_SHA256).build());
            generator.generateKeyPair();
        }
        return new KeystoreKey((PrivateKey) store.getKey(alias, null), (ECPublicKey) store.getCertificate(alias).getPublicKey());
    }

    @Override
    public byte[] x() {
        return bytes(open.getW().getAffineX());
    }

    @Override
    public byte[] y() {
        return bytes(open.getW().getAffineY());
    }

    @Override
    public byte[] sign(byte[] message) throws GeneralSecurityException {
        Signature signer = Signature.getInstance("SHA256withECDSA");
        signer.initSign(key);
        signer.update(message);
        return signer.sign();
    }

    private static byte[] bytes(BigInteger number) {
        byte[] from = number.toByteArray();
        byte[] to = new byte[32];
        int skip = Math.max(0, from.length - 32);
        System.arraycopy(from, skip, to, 32 - (from.length - skip), from.length - skip);
        return to;
    }
}
