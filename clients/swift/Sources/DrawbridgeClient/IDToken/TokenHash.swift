import Crypto

/// `at_hash` and `ds_hash`: the left half of the SHA-256, base64url (OpenID Connect Core §3.1.3.6, Native SSO §3.4).
enum TokenHash {
    static func of(_ token: Redacted<String>) -> String {
        Base64URL.encode(SHA256.hash(data: Array(token.expose().utf8)).prefix(16))
    }
}

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
