import OAuth2

/// An opaque bearer secret: 256 random bits after a recognisable prefix, ending in a checksum.
///
/// `dbs_<43 characters of base64url><6 of CRC-32>`, or with the time of its making before the random bits, which is
/// 8 characters more. The prefix and the checksum let secret scanners and our own log filter find one that strayed,
/// and let the server refuse nonsense without asking a store.
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
        /// What a device waits with (RFC 8628).
        case deviceCode = "dbd_"
        /// Binds a form to the browser that the page was sent to.
        case formBinding = "dbf_"
        /// Binds a sign-in by phone to the browser that asked for it.
        case selfIssued = "dbi_"
        /// Ties a sign-in that a phone approves to the browser that began it.
        case phoneSignIn = "dbx_"
        /// A session of the administration console.
        case adminSession = "dbk_"
        /// The refresh cookie of a web session.
        case sessionRefresh = "dbw_"
        /// What the apps of one device share (OpenID Connect Native SSO §3.1); the prefix is that of other SDKs.
        case deviceSecret = "ds_"
    }

    package let kind: Kind
    private let text: String
    /// When it was made, in the characters of ``Timestamp/leadingBytes``; empty when that is not in it.
    private let date: String

    private static let dateBytes = 6

    private init(kind: Kind, date: String, random: String) {
        let body = kind.rawValue + date + random
        self.init(kind: kind, date: date, text: body + Self.checksum(of: Array(body.utf8)[...]))
    }

    private init(kind: Kind, date: String, text: String) {
        self.kind = kind
        self.date = date
        self.text = text
    }

    /// Makes a new secret.
    package static func make(_ kind: Kind, random: RandomSource) -> OpaqueSecret {
        OpaqueSecret(kind: kind, date: "", random: random.text(32))
    }

    /// Makes a new secret that tells when it was made, for those that a store keeps many of: see ``digest``.
    package static func make(_ kind: Kind, at now: Timestamp, random: RandomSource) -> OpaqueSecret {
        OpaqueSecret(kind: kind, date: Base64URL.encode(now.leadingBytes), random: random.text(32))
    }

    /// The secret of the same kind and time that these bytes make.
    /// - Parameter bytes: 32, as good as random.
    func sibling(_ bytes: [UInt8]) -> OpaqueSecret {
        OpaqueSecret(kind: kind, date: date, random: Base64URL.encode(bytes))
    }

    /// Accepts the forms that are made here.
    /// - Returns: `nil` for another prefix or length, or a wrong checksum.
    package init?(_ text: String, kind: Kind) {
        guard text.utf8.starts(with: kind.rawValue.utf8) else { return nil }
        let bytes = Array(text.utf8)
        let body = bytes[kind.rawValue.utf8.count...].dropLast(6)
        let dateBytes =
            switch body.count {
            case 43: 0
            case 51: Self.dateBytes
            default: -1
            }
        guard dateBytes >= 0, Base64URL.decode(bytes: body)?.count == dateBytes + 32,
            Self.checksum(of: bytes[..<body.endIndex]).utf8.elementsEqual(bytes[body.endIndex...])
        else { return nil }
        self.init(kind: kind, date: String(decoding: body.prefix(dateBytes / 3 * 4), as: UTF8.self), text: text)
    }

    /// Whether a text begins as secrets that are made here do, of whatever kind, complete or not: no other server is
    /// shown it.
    package static func isMarked(_ text: String) -> Bool {
        Kind.allCases.contains { text.utf8.starts(with: $0.rawValue.utf8) }
    }

    /// Whether bytes begin as secrets that are made here do.
    static func isMarked(_ bytes: ArraySlice<UInt8>) -> Bool { marks.contains { bytes.starts(with: $0) } }

    private static let marks = Kind.allCases.map { Array($0.rawValue.utf8) }
    /// The bytes that marks begin with.
    static let firstOfMarks = Array(Set(marks.compactMap(\.first)))

    /// No secret is shorter, in characters: the shortest prefix, the random bits, the checksum.
    static let shortestLength = (marks.map(\.count).min() ?? 0) + 43 + 6

    /// The secret itself, for the one cookie or answer that carries it.
    package func expose() -> String { text }

    /// What stores keep: base64url of SHA-256 over the text, 43 characters, after the 8 of its time if that is in it.
    ///
    /// A plain hash is enough for 256 random bits: there is nothing to guess, so nothing to slow down. The time is not
    /// a secret, and with it a store's index of digests grows at one end (ADR-0042).
    package var digest: String { date + SHA256Hash(of: text).base64URL }

    package var description: String { "\(kind.rawValue)<redacted>" }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> String {
        let crc = CRC32.checksum(bytes)
        return Base64URL.encode((0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) })
    }
}

/// CRC-32 as in IEEE 802.3: a checksum against typing errors and for scanners, not a protection.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
    }
}
