package drawbridge.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/** Base64url, hashes and random texts, as OAuth spells them. */
final class Codec {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Codec() {
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
        byte[] first = String.valueOf(one).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(first, other.getBytes(StandardCharsets.UTF_8));
    }

    /** Of so many bytes. */
    static String random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return encode(bytes);
    }
}
