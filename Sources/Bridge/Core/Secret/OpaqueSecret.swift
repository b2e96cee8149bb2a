import Crypto
import OAuth2

/// An opaque bearer secret: 256 random bits behind a recognisable prefix, ending in a checksum.
///
/// `dbs_<43 characters of base64url><6 of CRC-32>`. The prefix and the checksum let secret scanners and our own log
/// filter find one that strayed, and let the server refuse nonsense without asking a store.
package struct OpaqueSecret: Sendable, CustomStringConvertible {
    /// What the secret opens; its raw value is the prefix.
    package enum Kind: String, Sendable, CaseIterable {
        /// A web session's cookie value.
        case webSession = "dbs_"
        /// A client's password.
        case clientSecret = "dbc_"
        case authorizationCode = "dba_"
        case refreshToken = "dbr_"
        /// Names an authorization request that was sent ahead (RFC 9126).
        case pushedRequest = "dbp_"
        /// Binds a form to the browser that the page was sent to.
        case formBinding = "dbf_"
        /// A session of the administration console.
        case adminSession = "dbk_"
        /// The refresh cookie of a web session.
        case sessionRefresh = "dbw_"
        /// What the apps of one device share (OpenID Connect Native SSO §3.1); the prefix is that of other SDKs.
        case deviceSecret = "ds_"
    }

    package let kind: Kind
    private let text: String

    private init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }

    /// Makes a new secret.
    package static func make(_ kind: Kind, random: RandomSource) -> OpaqueSecret {
        let body = kind.rawValue + random.text(32)
        return OpaqueSecret(kind: kind, text: body + checksum(of: Array(body.utf8)[...]))
    }

    /// Accepts the form that ``make(_:random:)`` gives.
    /// - Returns: `nil` for another prefix or length, or a wrong checksum.
    package init?(_ text: String, kind: Kind) {
        let prefix = kind.rawValue.utf8.count
        guard text.utf8.count == prefix + 43 + 6, text.utf8.starts(with: kind.rawValue.utf8) else { return nil }
        let bytes = Array(text.utf8)
        guard Base64URL.decode(bytes: bytes[prefix..<prefix + 43])?.count == 32,
            Self.checksum(of: bytes[..<(prefix + 43)]).utf8.elementsEqual(bytes[(prefix + 43)...])
        else { return nil }
        self.init(kind: kind, text: text)
    }

    /// The secret itself, for the one cookie or answer that carries it.
    package func expose() -> String { text }

    /// What stores keep: base64url of SHA-256 over the text, 43 characters.
    ///
    /// A plain hash is enough for 256 random bits: there is nothing to guess, so nothing to slow down.
    package var digest: String {
        var text = text
        let digest = text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        return Base64URL.encode(digest.withUnsafeBytes { Array($0) })
    }

    package var description: String { "\(kind.rawValue)<redacted>" }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> String {
        let crc = CRC32.checksum(bytes)
        return Base64URL.encode((0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) })
    }
}

/// CRC-32 as in IEEE 802.3: a checksum against typing errors and for scanners, not a protection.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
    }
}
