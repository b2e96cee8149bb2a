import Crypto

/// `at_hash` and `ds_hash`: the left half of the SHA-256, base64url (OpenID Connect Core §3.1.3.6, Native SSO §3.4).
enum TokenHash {
    static func of(_ token: Redacted<String>) -> String {
        Base64URL.encode(SHA256.hash(data: Array(token.expose().utf8)).prefix(16))
    }
}
