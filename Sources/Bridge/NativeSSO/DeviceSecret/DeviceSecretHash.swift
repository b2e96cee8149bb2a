import OAuth2

extension OpaqueSecret {
    /// `ds_hash`: base64url of the left half of SHA-256 over the secret, as Native SSO SDKs verify it; built like
    /// `at_hash` (OpenID Connect Core §3.1.3.6), and so the same as what can be had from a stored digest.
    package var deviceSecretHash: String { DeviceSecretHash.of(digest: digest) ?? "" }
}

/// Ties an `id_token` to the device secret it was issued with.
package enum DeviceSecretHash {
    /// - Parameter digest: ``OpaqueSecret/digest``.
    /// - Returns: `nil` when it is no digest.
    package static func of(digest: String) -> String? {
        guard let bytes = Base64URL.decode(digest), bytes.count == 32 else { return nil }
        return Base64URL.encode(Array(bytes[..<16]))
    }
}
