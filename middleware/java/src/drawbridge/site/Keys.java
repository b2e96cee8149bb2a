package drawbridge.site;

import drawbridge.json.Json;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EllipticCurve;
import java.security.spec.RSAPublicKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Drawbridge's public keys and what they signed. Keys are used for five minutes, and fetched for an unknown {@code kid} at
 * most every half minute, whoever sends what. While there are none to do with, they are asked for as soon as after any failure.
 */
final class Keys {
    static final long FRESH = 300;
    static final long PAUSE = 30;
    static final long STALE = 3600;
    /** What keys verify here, each the one that its kind says. */
    static final List<String> ALGORITHMS = Collections.unmodifiableList(Arrays.asList("ES256", "RS256"));
    /** Of P-256 (SP 800-186 §3.2.1.3). */
    private static final BigInteger ORDER = new BigInteger("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", 16);

    private final Drawbridge drawbridge;
    private final LongSupplier now;
    /** Of whoever asks Drawbridge, which may take three seconds. This object's own lock is never held for so long. */
    private final ReentrantLock asking = new ReentrantLock();
    private Known known = new Known(Collections.emptyMap(), null);
    /** When the last question ended: the pause begins once nobody waits for its answer. */
    private Long tried;

    Keys(Drawbridge drawbridge, LongSupplier now) {
        this.drawbridge = drawbridge;
        this.now = now;
    }

    /** The claims of a token that one of the keys signed. Algorithm and type are ours to say (RFC 8725). */
    Map<String, Object> verified(String text, String type, List<String> algorithms, long now) throws Refused, Unavailable {
        String[] parts = text.length() <= 8192 ? text.split("\\.", -1) : new String[0];
        if (parts.length != 3) {
            throw new Refused("malformed");
        }
        Map<String, Object> header = object(decode(parts[0]));
        Map<String, Object> claims = object(decode(parts[1]));
        byte[] signature = decode(parts[2]);
        if (header.containsKey("crit")) {
            throw new Refused("malformed");
        }
        Object algorithm = header.get("alg");
        if (!(algorithm instanceof String) || !algorithms.contains(algorithm)) {
            throw new Refused("algorithm");
        }
        Object own = header.get("typ");
        if (!(own instanceof String) || !((String) own).toLowerCase(Locale.ROOT).replaceFirst("^application/", "").equals(type)) {
            throw new Refused("type");
        }
        if (!(header.get("kid") instanceof String)) {
            throw new Refused("unknown_key");
        }
        PublicKey key = key((String) header.get("kid"), now);
        boolean isRSA = key instanceof RSAPublicKey;
        if (!algorithm.equals(isRSA ? "RS256" : "ES256")) {
            throw new Refused("algorithm");
        }
        try {
            Signature verifier = Signature.getInstance(isRSA ? "SHA256withRSA" : "SHA256withECDSA");
            verifier.initVerify(key);
            verifier.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            if (!isRSA && !isInRange(signature) || !verifier.verify(isRSA ? signature : der(signature))) {
                throw new Refused("signature");
            }
        } catch (GeneralSecurityException not) {
            throw new Refused("signature");
        }
        return claims;
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

    private PublicKey key(String kid, long now) throws Refused, Unavailable {
        Known last = known();
        if (last.fetched == null || now - last.fetched >= FRESH) {
            last = renewed(last, !(last.holds(now) && last.keys.containsKey(kid)));
        }
        if (!last.holds(now)) {
            throw new Unavailable("Drawbridge's keys cannot be had");
        }
        if (!last.keys.containsKey(kid)) {
            last = renewed(last, true);
        }
        PublicKey key = last.keys.get(kid);
        if (key == null) {
            // Asked before and not now: meanwhile it may be there.
            throw new Refused("unknown_key", last.fetched >= now);
        }
        return key;
    }

    private synchronized Known known() {
        long now = this.now.getAsLong();
        // By more than a second: of two who come at once, one has looked at the clock a little earlier.
        if (known.fetched != null && known.fetched > now + 1 || tried != null && tried > now + 1) {
            // The clock was set back. How old the keys are is not known: they are due, and hold for an hour from now at most.
            known = new Known(known.keys, known.fetched == null ? null : Long.valueOf(Math.min(known.fetched, now - FRESH)));
            tried = null;
        }
        return known;
    }

    /** One asks. Of the others those wait for the answer who cannot do without. */
    private Known renewed(Known last, boolean waits) {
        if (waits) {
            asking.lock();
        } else if (!asking.tryLock()) {
            return last;
        }
        try {
            Known current = known();
            // Anew: whoever waited has come seconds ago, and would ask again what has just failed.
            long time = now.getAsLong();
            if (mayAsk(current, time)) {
                ask(time);
            }
        } finally {
            asking.unlock();
        }
        return known();
    }

    private synchronized boolean mayAsk(Known current, long time) {
        return tried == null || time - tried >= (current.holds(time) ? PAUSE : Outage.PAUSE);
    }

    private void ask(long time) {
        try {
            Drawbridge.Reply reply = drawbridge.get("/.well-known/jwks.json", Collections.emptyMap());
            if (reply.status == 200) {
                keep(new Known(read(reply.body), time));
            }
        } catch (Refused | Unavailable | Json.Malformed none) {
            // Those of before hold, for as long as they may.
        } finally {
            end();
        }
    }

    private synchronized void keep(Known fresh) {
        known = fresh;
    }

    private synchronized void end() {
        tried = now.getAsLong();
    }

    /** The keys, and when they were fetched: null before the first time. */
    private static final class Known {
        final Map<String, PublicKey> keys;
        final Long fetched;

        Known(Map<String, PublicKey> keys, Long fetched) {
            this.keys = keys;
            this.fetched = fetched;
        }

        boolean holds(long now) {
            return fetched != null && now - fetched <= STALE;
        }
    }

    private static Map<String, PublicKey> read(String body) throws Refused, Json.Malformed {
        Object members = Json.object(body).get("keys");
        if (!(members instanceof List) || ((List<?>) members).size() > 100) {
            throw new Refused("malformed");
        }
        Map<String, PublicKey> found = new HashMap<>();
        for (Object member : (List<?>) members) {
            if (member instanceof Map && ((Map<?, ?>) member).get("kid") instanceof String) {
                PublicKey key = read((Map<?, ?>) member);
                if (key != null) {
                    found.putIfAbsent((String) ((Map<?, ?>) member).get("kid"), key);
                }
            }
        }
        return found;
    }

    /** A key's kind says the one algorithm that it verifies. */
    private static PublicKey read(Map<?, ?> jwk) {
        Object use = jwk.get("use");
        Object algorithm = jwk.get("alg");
        if (use != null && !use.equals("sig")) {
            return null;
        }
        try {
            if ("EC".equals(jwk.get("kty")) && "P-256".equals(jwk.get("crv")) && (algorithm == null || algorithm.equals("ES256"))) {
                byte[] x = decode((String) jwk.get("x"));
                byte[] y = decode((String) jwk.get("y"));
                AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
                parameters.init(new ECGenParameterSpec("secp256r1"));
                ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
                ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
                boolean fits = x.length == 32 && y.length == 32 && isOn(curve.getCurve(), point);
                return fits ? KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve)) : null;
            }
            if ("RSA".equals(jwk.get("kty")) && (algorithm == null || algorithm.equals("RS256"))) {
                BigInteger modulus = new BigInteger(1, decode((String) jwk.get("n")));
                BigInteger exponent = new BigInteger(1, decode((String) jwk.get("e")));
                boolean fits = modulus.bitLength() >= 2048 && modulus.bitLength() <= 8192
                    && (exponent.equals(BigInteger.valueOf(3)) || exponent.equals(BigInteger.valueOf(65537)));
                return fits ? KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent)) : null;
            }
        } catch (GeneralSecurityException | Refused | ClassCastException | NullPointerException unusable) {
            return null;
        }
        return null;
    }

    private static boolean isOn(EllipticCurve curve, ECPoint point) {
        BigInteger p = ((java.security.spec.ECFieldFp) curve.getField()).getP();
        BigInteger x = point.getAffineX();
        BigInteger right = x.pow(3).add(curve.getA().multiply(x)).add(curve.getB()).mod(p);
        return x.compareTo(p) < 0 && point.getAffineY().compareTo(p) < 0 && point.getAffineY().pow(2).mod(p).equals(right);
    }

    /** Java 8 knows the ASN.1 form of an ECDSA signature only. */
    private static byte[] der(byte[] signature) {
        byte[] r = new BigInteger(1, java.util.Arrays.copyOfRange(signature, 0, 32)).toByteArray();
        byte[] s = new BigInteger(1, java.util.Arrays.copyOfRange(signature, 32, 64)).toByteArray();
        return ByteBuffer.allocate(6 + r.length + s.length).put((byte) 0x30).put((byte) (4 + r.length + s.length))
            .put((byte) 2).put((byte) r.length).put(r).put((byte) 2).put((byte) s.length).put(s).array();
    }

    private static byte[] decode(String text) throws Refused {
        try {
            byte[] data = Base64.getUrlDecoder().decode(text);
            // Two texts must not stand for the same bytes.
            if (Base64.getUrlEncoder().withoutPadding().encodeToString(data).equals(text)) {
                return data;
            }
        } catch (IllegalArgumentException not) {
            // Refused below.
        }
        throw new Refused("malformed");
    }

    private static Map<String, Object> object(byte[] data) throws Refused {
        try {
            return Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString());
        } catch (Json.Malformed | CharacterCodingException not) {
            throw new Refused("malformed");
        }
    }
}
