package drawbridge.client;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.LinkedHashMap;
import java.util.Map;

/** A key in the store, for devices without a place for keys. */
final class SoftKey implements ProofKey {
    private final byte[] x;
    private final byte[] y;
    private final PrivateKey key;

    private SoftKey(Map<String, Object> kept) throws GeneralSecurityException {
        x = IdToken.decode((String) kept.get("x"));
        y = IdToken.decode((String) kept.get("y"));
        key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(IdToken.decode((String) kept.get("pkcs8"))));
    }

    static SoftKey of(String kept) throws GeneralSecurityException, Json.Malformed {
        return new SoftKey(Json.object(kept));
    }

    static String make() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        Map<String, Object> kept = new LinkedHashMap<>();
        kept.put("pkcs8", IdToken.encode(pair.getPrivate().getEncoded()));
        kept.put("x", number(((ECPublicKey) pair.getPublic()).getW().getAffineX()));
        kept.put("y", number(((ECPublicKey) pair.getPublic()).getW().getAffineY()));
        return Json.write(kept);
    }

    private static String number(BigInteger value) {
        byte[] out = new byte[32];
        IdToken.put(value.toByteArray(), out, 0);
        return IdToken.encode(out);
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
