package drawbridge.client;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import java.util.Map;

/** Keys and signatures of P-256, in the forms of JOSE and of Java. */
final class P256 {
    /** Of the curve (SP 800-186 §3.2.1.3). */
    private static final BigInteger ORDER = new BigInteger(
        "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", 16);

    private P256() {
    }

    /** Null when it cannot have signed an ID token of ours. */
    static PublicKey key(Map<?, ?> jwk) {
        Object use = jwk.get("use");
        Object algorithm = jwk.get("alg");
        if (!"EC".equals(jwk.get("kty")) || !"P-256".equals(jwk.get("crv")) || use != null && !use.equals("sig")
            || algorithm != null && !algorithm.equals("ES256")
            || !(jwk.get("x") instanceof String) || !(jwk.get("y") instanceof String)) {
            return null;
        }
        byte[] x = Codec.decode((String) jwk.get("x"));
        byte[] y = Codec.decode((String) jwk.get("y"));
        if (x == null || y == null || x.length != 32 || y.length != 32) {
            return null;
        }
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec("secp256r1"));
            ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
            ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
            BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
            BigInteger a = point.getAffineX();
            BigInteger right = a.pow(3).add(curve.getCurve().getA().multiply(a)).add(curve.getCurve().getB()).mod(p);
            boolean fits = a.compareTo(p) < 0 && point.getAffineY().compareTo(p) < 0
                && point.getAffineY().pow(2).mod(p).equals(right);
            return fits ? KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve)) : null;
        } catch (GeneralSecurityException unusable) {
            return null;
        }
    }

    /**
     * Whether both numbers are between 0 and the order of the curve. The platform should say so itself; Java 15 to 18
     * without their patches take a signature of zeros for any text (CVE-2022-21449).
     */
    static boolean isInRange(byte[] signature) {
        if (signature.length != 64) {
            return false;
        }
        BigInteger r = new BigInteger(1, Arrays.copyOfRange(signature, 0, 32));
        BigInteger s = new BigInteger(1, Arrays.copyOfRange(signature, 32, 64));
        return r.signum() > 0 && s.signum() > 0 && r.compareTo(ORDER) < 0 && s.compareTo(ORDER) < 0;
    }

    /** Java 8 knows the ASN.1 form of an ECDSA signature only. */
    static byte[] der(byte[] signature) {
        byte[] r = new BigInteger(1, Arrays.copyOfRange(signature, 0, 32)).toByteArray();
        byte[] s = new BigInteger(1, Arrays.copyOfRange(signature, 32, 64)).toByteArray();
        return ByteBuffer.allocate(6 + r.length + s.length).put((byte) 0x30).put((byte) (4 + r.length + s.length))
            .put((byte) 2).put((byte) r.length).put(r).put((byte) 2).put((byte) s.length).put(s).array();
    }

    /** The two numbers of a signature in ASN.1, 32 bytes each (RFC 7518 §3.4). */
    static byte[] raw(byte[] der) {
        int length = der[3];
        byte[] out = new byte[64];
        put(Arrays.copyOfRange(der, 4, 4 + length), out, 0);
        put(Arrays.copyOfRange(der, 6 + length, der.length), out, 32);
        return out;
    }

    static void put(byte[] number, byte[] out, int at) {
        int skip = Math.max(0, number.length - 32);
        System.arraycopy(number, skip, out, at + 32 - (number.length - skip), number.length - skip);
    }
}
