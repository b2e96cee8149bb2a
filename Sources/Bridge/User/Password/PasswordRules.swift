/// What a new password must be (NIST SP 800-63B §3.1.1.2): long enough, and no further rules of composition.
package enum PasswordRules {
    package static let minimumLength = 8
    /// Bounds what hashing reads.
    package static let maximumBytes = 1024

    /// - Returns: what is wrong, as half a sentence; `nil` for a good one.
    package static func problem(with password: Secret<String>) -> String? {
        let text = password.expose()
        if text.count < minimumLength { return "must have at least \(minimumLength) characters" }
        if text.utf8.count > maximumBytes { return "must have at most \(maximumBytes) bytes" }
        return nil
    }
}
