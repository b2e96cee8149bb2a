package drawbridge.client;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** An ID token taken apart, not believed yet; and the cryptography that the library needs. */
final class IdToken {
    /** Of P-256 (SP 800-186 §3.2.1.3). */
    private static final BigInteger ORDER = new BigInteger("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", 16);

    final Map<String, Object> header;
    final Map<String, Object> claims;
    final byte[] signature;
    final byte[] signed;

    private IdToken(Map<String, Object> header, Map<String, Object> claims, byte[] signature, byte[] signed) {
        this.header = header;
        this.claims = claims;
        this.signature = signature;
        this.signed = signed;
    }

    /** Null when it is not one. */
    static IdToken of(String token) {
        String[] pieces = token.split("\\.", -1);
        if (pieces.length != 3) {
            return null;
        }
        byte[][] data = {decode(pieces[0]), decode(pieces[1]), decode(pieces[2])};
        if (data[0] == null || data[1] == null || data[2] == null) {
            return null;
        }
        try {
            Map<String, Object> header = Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data[0])).toString());
            Map<String, Object> claims = Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data[1])).toString());
            boolean whole = Drawbridge.isText(claims.get("iss")) && Drawbridge.isText(claims.get("sub")) && !audiences(claims).isEmpty()
                && Drawbridge.isNumber(claims.get("exp")) && Drawbridge.isNumber(claims.get("iat"));
            byte[] signed = (pieces[0] + "." + pieces[1]).getBytes(StandardCharsets.US_ASCII);
            return whole ? new IdToken(header, claims, data[2], signed) : null;
        } catch (Json.Malformed | CharacterCodingException not) {
            return null;
        }
    }

    String subject() {
        return (String) claims.get("sub");
    }

    static List<String> audiences(Map<String, Object> claims) {
        Object found = claims.get("aud");
        List<String> names = new ArrayList<>();
        for (Object name : found instanceof List ? (List<?>) found : Collections.singletonList(found)) {
            if (!Drawbridge.isText(name)) {
                return Collections.emptyList();
            }
            names.add((String) name);
        }
        return names;
    }

    boolean isSignedBy(PublicKey key) {
        try {
            Signature verifier = Signature.getInstance("SHA256withECDSA");
            verifier.initVerify(key);
            verifier.update(signed);
            return isInRange(signature) && verifier.verify(der(signature));
        } catch (GeneralSecurityException not) {
            return false;
        }
    }

    /** Null when it cannot have signed an ID token of ours. */
    static PublicKey key(Map<?, ?> jwk) {
        Object use = jwk.get("use");
        Object algorithm = jwk.get("alg");
        if (!"EC".equals(jwk.get("kty")) || !"P-256".equals(jwk.get("crv")) || use != null && !use.equals("sig")
            || algorithm != null && !algorithm.equals("ES256") || !(jwk.get("x") instanceof String) || !(jwk.get("y") instanceof String)) {
            return null;
        }
        byte[] x = decode((String) jwk.get("x"));
        byte[] y = decode((String) jwk.get("y"));
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
            boolean fits = a.compareTo(p) < 0 && point.getAffineY().compareTo(p) < 0 && point.getAffineY().pow(2).mod(p).equals(right);
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
    private static byte[] der(byte[] signature) {
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

    static String encode(byte[] data) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
    }

    /** Null for anything that {@link #encode} would not have written: a token has one spelling. */
    static byte[] decode(String text) {
        try {
            byte[] data = Base64.getUrlDecoder().decode(text);
            return encode(data).equals(text) ? data : null;
        } catch (IllegalArgumentException not) {
            return null;
        }
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }

    /** {@code at_hash} and {@code ds_hash}: the left half of the SHA-256. */
    static String halfHash(String text) {
        return encode(Arrays.copyOf(sha256(text), 16));
    }

    /** Takes the same time wherever two secrets differ. */
    static boolean same(Object one, String other) {
        return MessageDigest.isEqual(String.valueOf(one).getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
