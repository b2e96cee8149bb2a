/// The tie between an ID token and the device secret that came with it (Native SSO §3.4).
public enum DeviceSecretHash {
    /// What `ds_hash` says about this secret: base64url of the left half of its SHA-256.
    public static func of(_ deviceSecret: Redacted<String>) -> String { TokenHash.of(deviceSecret) }

    /// Whether this ID token was issued with this secret. It checks nothing else of the token.
    public static func fits(idToken: Redacted<String>, deviceSecret: Redacted<String>) -> Bool {
        guard let token = try? SignedIDToken(idToken), let hash = token.claims.deviceSecretHash else { return false }
        return ConstantTime.equal(hash, of(deviceSecret))
    }
}
