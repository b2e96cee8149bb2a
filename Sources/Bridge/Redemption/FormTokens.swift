import Crypto
import OAuth2

/// Tokens that prove a form came from a page of ours, shown to this very browser (contract §4.2).
///
/// `<expiry>.<kid>.<MAC>` over the expiry and the value of a `__Host-` cookie that was set with the page. Nothing is
/// stored. A foreign page can neither read the cookie nor set one with the `__Host-` prefix, so it cannot make the two
/// agree.
package struct FormTokens: Sendable {
    /// As long as the cookie lives.
    package static let lifetime = Duration.seconds(300)

    private let keys: Reloadable<LoginTokenKeyRing>
    private let time: TimeSource

    package init(keys: Reloadable<LoginTokenKeyRing>, time: TimeSource = .system) {
        self.keys = keys
        self.time = time
    }

    /// A token for the browser that holds `binding`.
    /// - Throws: ``StorageError/unavailable(_:)`` when no key may sign now.
    package func make(binding: OpaqueSecret) throws -> String {
        let now = time.now()
        let expiry = String((now + Self.lifetime).seconds)
        guard let keyID = keys.current.signingKeyID(at: now),
            let code = code(expiry: expiry, binding: binding, keyID: keyID, at: now)
        else { throw StorageError.unavailable("no key may sign form tokens now") }
        return "\(expiry).\(Base64URL.encode(Array(keyID.utf8))).\(Base64URL.encode(code))"
    }

    /// Whether `token` was made for `binding` in the last five minutes.
    package func verify(_ token: String, binding: OpaqueSecret) -> Bool {
        let now = time.now()
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = Int64(parts[0]), String(expiry) == parts[0],
            let keyID = Base64URL.decode(parts[1]).flatMap({ String(validating: $0, as: UTF8.self) }),
            let presented = Base64URL.decode(parts[2]),
            let expected = code(expiry: String(parts[0]), binding: binding, keyID: keyID, at: now)
        else { return false }
        return ConstantTime.equals(presented, expected) && now < Timestamp(seconds: expiry)
    }

    private func code(expiry: String, binding: OpaqueSecret, keyID: String, at now: Timestamp) -> [UInt8]? {
        guard let key = keys.current.derivedKey(keyID, purpose: "form token", at: now) else { return nil }
        return Array(
            HMAC<SHA256>.authenticationCode(for: Array("\(expiry).\(binding.expose())".utf8), using: key))
    }
}
