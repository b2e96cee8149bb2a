package drawbridge.client;

/** A P-256 key that tokens are bound to (DPoP, RFC 9449): one of the Android Keystore never leaves the device. */
public interface ProofKey {
    /** The two coordinates, 32 bytes each. */
    byte[] x();

    byte[] y();

    /** An ECDSA signature with SHA-256 in the form of ASN.1, as {@code SHA256withECDSA} gives it. */
    byte[] sign(byte[] message) throws Exception;
}
