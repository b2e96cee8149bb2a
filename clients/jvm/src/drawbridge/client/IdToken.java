package drawbridge.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** An ID token taken apart, not believed yet. */
final class IdToken {
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
        byte[][] data = {Codec.decode(pieces[0]), Codec.decode(pieces[1]), Codec.decode(pieces[2])};
        if (data[0] == null || data[1] == null || data[2] == null) {
            return null;
        }
        try {
            Map<String, Object> header = object(data[0]);
            Map<String, Object> claims = object(data[1]);
            boolean whole = Values.isText(claims.get("iss")) && Values.isText(claims.get("sub"))
                && !audiences(claims).isEmpty() && Values.isNumber(claims.get("exp")) && Values.isNumber(claims.get("iat"));
            byte[] signed = (pieces[0] + "." + pieces[1]).getBytes(StandardCharsets.US_ASCII);
            return whole ? new IdToken(header, claims, data[2], signed) : null;
        } catch (Json.Malformed | CharacterCodingException not) {
            return null;
        }
    }

    private static Map<String, Object> object(byte[] data) throws Json.Malformed, CharacterCodingException {
        return Json.object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString());
    }

    String subject() {
        return (String) claims.get("sub");
    }

    static List<String> audiences(Map<String, Object> claims) {
        Object found = claims.get("aud");
        List<String> names = new ArrayList<>();
        for (Object name : found instanceof List ? (List<?>) found : Collections.singletonList(found)) {
            if (!Values.isText(name)) {
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
            return P256.isInRange(signature) && verifier.verify(P256.der(signature));
        } catch (GeneralSecurityException not) {
            return false;
        }
    }
}
