package import OAuth2

/// What an authenticator says of a ceremony, and signs (Web Authentication §6.1).
package struct AuthenticatorStatement: Sendable {
    /// A credential that was just made (§6.5.1).
    package struct Credential: Sendable {
        package let id: [UInt8]
        package let key: VerificationKey
    }

    /// SHA-256 of the relying party that the credential is for.
    package let relyingPartyHash: [UInt8]
    /// Whether the authenticator was touched.
    package let isUserPresent: Bool
    /// Whether the user showed it who they are: by a PIN, a fingerprint or their face (WebAuthn's user verification).
    package let isUserVerified: Bool
    package let signCount: UInt32
    /// `nil` where none was made.
    package let credential: Credential?

    /// Bytes of a credential's id at most (§4).
    static let longestID = 1023

    /// - Returns: `nil` for what breaks off, goes on, or holds a key of a kind that is not known here.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 37 else { return nil }
        let flags = bytes[32]
        relyingPartyHash = Array(bytes[..<32])
        isUserPresent = flags & 0x01 != 0
        isUserVerified = flags & 0x04 != 0
        // A credential that is kept elsewhere as well is one that may be (§6.1.3).
        guard flags & 0x18 != 0x10 else { return nil }
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        if flags & 0x40 != 0 {
            guard let (credential, further) = Self.credential(in: rest) else { return nil }
            (self.credential, rest) = (credential, further)
        } else {
            credential = nil
        }
        if flags & 0x80 != 0 {
            guard let (extensions, further) = CBORValue.parse(beginningOf: rest), extensions.map != nil else {
                return nil
            }
            rest = further
        }
        guard rest.isEmpty else { return nil }
    }

    private static func credential(in bytes: ArraySlice<UInt8>) -> (Credential, ArraySlice<UInt8>)? {
        // 16 bytes name the authenticator's model, unattested.
        let bytes = bytes.dropFirst(16)
        guard bytes.count > 2 else { return nil }
        let length = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let id = bytes.dropFirst(2).prefix(length)
        guard (1...longestID).contains(length), id.count == length,
            let (value, rest) = CBORValue.parse(beginningOf: bytes.dropFirst(2 + length)),
            let key = VerificationKey(cose: value)
        else { return nil }
        return (Credential(id: Array(id), key: key), rest)
    }
}
