import Crypto
import OAuth2

/// A login token key: signs login tokens, and is what seals, form tokens, DPoP nonces and typed codes are made with.
package struct SecretKey: Sendable {
    /// HS256 keys have the hash's length at least (RFC 7518 §3.2).
    package static let shortestSecret = 32

    /// `kid`.
    package let id: String
    /// At least ``shortestSecret`` bytes.
    package let secret: Secret<[UInt8]>
    /// When it may begin to sign. Until then it only verifies, so that every node has it before a token needs it.
    package let signsFrom: Timestamp
    /// When it stops verifying; `nil` while nothing has followed it.
    package let retiresAt: Timestamp?

    package init(id: String, secret: Secret<[UInt8]>, signsFrom: Timestamp, retiresAt: Timestamp?) {
        self.id = id
        self.secret = secret
        self.signsFrom = signsFrom
        self.retiresAt = retiresAt
    }
}

/// The keys that are in force of those that stay secret: several verify, the youngest that may sign does.
package struct SecretKeyRing: Sendable {
    private struct Entry: Sendable {
        let key: SecretKey
        /// Has taken in the key; each code starts from a copy, since that half of the work is always the same.
        let hmac: HMAC<SHA256>
        /// Keys for other purposes; made once, since several of them open and seal what each page carries.
        let derived: [DerivedKeyPurpose: SymmetricKey]
        /// What the key's tokens begin with.
        let header: String

        init(_ key: SecretKey) {
            self.key = key
            let secret = SymmetricKey(data: key.secret.expose())
            hmac = HMAC(key: secret)
            derived = Dictionary(
                uniqueKeysWithValues: DerivedKeyPurpose.allCases.map { ($0, $0.key(derivedFrom: secret)) })
            header = LoginTokenHeader.encoded(keyID: key.id)
        }
    }

    /// What a node has before it has read any: it signs nothing and believes nothing.
    package static let empty = SecretKeyRing(keys: [])

    private let entries: [String: Entry]
    /// Key ids by the encoded header that tokens of the key begin with.
    private let headers: [[UInt8]: String]
    private let bySigningStart: [Entry]

    /// - Parameter keys: of two with one id, which no database has, the first.
    package init(keys: [SecretKey]) {
        entries = Dictionary(keys.map { ($0.id, Entry($0)) }) { first, _ in first }
        headers = Dictionary(
            uniqueKeysWithValues: entries.values.map { (Array($0.header.utf8), $0.key.id) })
        // Of two that begin at the same instant every node takes the same.
        bySigningStart = entries.values.sorted { ($0.key.signsFrom, $0.key.id) > ($1.key.signsFrom, $1.key.id) }
    }

    /// The id of the key that signs at `now`; `nil` when none may yet, or all have retired.
    package func signingKeyID(at now: Timestamp) -> String? {
        bySigningStart.first { KeyAlgorithm.hasBegun($0.key.signsFrom, at: now) && Self.isLive($0.key, at: now) }?
            .key.id
    }

    /// The key whose tokens begin with this very header; `nil` for any other, which is then read as JSON.
    func keyID(ofHeader encoded: [UInt8]) -> String? { headers[encoded] }

    /// The encoded header of the tokens that the key with this id signs; `nil` for an unknown one.
    func header(ofKey keyID: String) -> String? { entries[keyID]?.header }

    /// HMAC-SHA-256 by the key with this id.
    /// - Returns: `nil` for an unknown or retired key.
    func authenticationCode(for message: [UInt8], keyID: String, at now: Timestamp) -> [UInt8]? {
        guard let entry = entries[keyID], Self.isLive(entry.key, at: now) else { return nil }
        var hmac = entry.hmac
        hmac.update(data: message)
        return Array(hmac.finalize())
    }

    /// The key that the one with this id has for another purpose than tokens.
    /// - Returns: `nil` for an unknown or retired key.
    func derivedKey(_ keyID: String, purpose: DerivedKeyPurpose, at now: Timestamp) -> SymmetricKey? {
        guard let entry = entries[keyID], Self.isLive(entry.key, at: now) else { return nil }
        return entry.derived[purpose]
    }

    /// HMAC-SHA-256 by the key that the one with this id has for another purpose than tokens.
    /// - Returns: `nil` for an unknown or retired key.
    func authenticationCode(
        for message: [UInt8], purpose: DerivedKeyPurpose, keyID: String, at now: Timestamp
    ) -> [UInt8]? {
        derivedKey(keyID, purpose: purpose, at: now).map {
            Array(HMAC<SHA256>.authenticationCode(for: message, using: $0))
        }
    }

    private static func isLive(_ key: SecretKey, at now: Timestamp) -> Bool {
        key.retiresAt.map { now < $0 } ?? true
    }
}

/// The JOSE header of a login token (RFC 7515 §4).
struct LoginTokenHeader {
    /// `typ` of every login token.
    static let tokenType = "login+jwt"

    let algorithm: String
    let type: String
    let keyID: String

    /// The header of our own tokens, base64url.
    static func encoded(keyID: String) -> String {
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"\#(tokenType)","kid":\#(JSONText.quoted(keyID))}"#.utf8))
    }

    /// - Returns: `nil` unless `alg`, `typ` and `kid` are there, and for any critical extension.
    init?(_ bytes: [UInt8]) {
        guard let members = JSONValue.parse(bytes: bytes, depth: 4)?.object, members["crit"] == nil,
            let algorithm = members["alg"]?.string, let type = members["typ"]?.string,
            let keyID = members["kid"]?.string
        else { return nil }
        self.algorithm = algorithm
        self.type = type
        self.keyID = keyID
    }
}
