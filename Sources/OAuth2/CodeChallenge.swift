/// A PKCE code challenge, method `S256` only (RFC 7636 §4.2).
///
/// `plain` is not offered: it would hand the verifier to anyone who sees the challenge (RFC 9700 §2.1.1).
package struct CodeChallenge: Sendable, Hashable {
    /// Base64url of SHA-256 over the verifier: 43 characters.
    package let value: String

    /// Accepts what RFC 7636 §4.2 lets a client send by `S256`: a hash in base64url.
    package init?(_ value: String) {
        guard SHA256Hash.isBase64URL(value) else { return nil }
        self.value = value
    }

    /// The challenge that a verifier answers.
    package init(for verifier: CodeVerifier) {
        value = SHA256Hash(of: verifier.value).base64URL
    }

    /// Whether a verifier answers this challenge; compared in constant time.
    package func isAnswered(by verifier: CodeVerifier) -> Bool {
        ConstantTime.equals(CodeChallenge(for: verifier).value.utf8, value.utf8)
    }
}

/// A PKCE code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1).
package struct CodeVerifier: Sendable {
    package let value: String

    /// - Returns: `nil` when the text is outside the ABNF of RFC 7636 §4.1.
    package init?(_ value: String) {
        guard (43...128).contains(value.utf8.count), value.utf8.allSatisfy(ASCII.isUnreserved) else { return nil }
        self.value = value
    }
}
