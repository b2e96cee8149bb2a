package drawbridge.client;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A key in the store, for devices without a place for keys. */
final class SoftKey implements ProofKey {
    private final byte[] x;
    private final byte[] y;
    private final PrivateKey key;

    private SoftKey(byte[] x, byte[] y, PrivateKey key) {
        this.x = x;
        this.y = y;
        this.key = key;
    }

    /** Null of what is not there or damaged: no token can be proved by it, so a new key takes its place. */
    static SoftKey of(String kept) {
        try {
            Map<String, Object> parts = kept == null ? Collections.emptyMap() : Json.object(kept);
            byte[] x = number(parts.get("x"));
            byte[] y = number(parts.get("y"));
            byte[] key = bytes(parts.get("pkcs8"));
            if (x == null || y == null || key == null) {
                return null;
            }
            SoftKey found = new SoftKey(x, y, KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)));
            return found.isOneKey() ? found : null;
        } catch (GeneralSecurityException | Json.Malformed damaged) {
            return null;
        }
    }

    /** Whether the public point verifies what the private part signs, which also holds for no curve but P-256. */
    private boolean isOneKey() throws GeneralSecurityException {
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
        Signature verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(KeyFactory.getInstance("EC").generatePublic(
            new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class))));
        verifier.update(x);
        return verifier.verify(sign(x));
    }

    private static byte[] number(Object text) {
        byte[] found = bytes(text);
        return found != null && found.length == 32 ? found : null;
    }

    private static byte[] bytes(Object text) {
        return text instanceof String ? Codec.decode((String) text) : null;
    }

    static String make() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        Map<String, Object> kept = new LinkedHashMap<>();
        kept.put("pkcs8", Codec.encode(pair.getPrivate().getEncoded()));
        kept.put("x", number(((ECPublicKey) pair.getPublic()).getW().getAffineX()));
        kept.put("y", number(((ECPublicKey) pair.getPublic()).getW().getAffineY()));
        return Json.write(kept);
    }

    private static String number(BigInteger value) {
        byte[] out = new byte[32];
        P256.put(value.toByteArray(), out, 0);
        return Codec.encode(out);
    }

    @Override
    public byte[] x() {
        return x.clone();
    }

    @Override
    public byte[] y() {
        return y.clone();
    }

    @Override
    public byte[] sign(byte[] message) throws GeneralSecurityException {
        Signature signer = Signature.getInstance("SHA256withECDSA");
        signer.initSign(key);
        signer.update(message);
        return signer.sign();
    }
}
