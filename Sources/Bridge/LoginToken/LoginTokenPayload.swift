import Foundation
import OAuth2

/// The JOSE header of a login token (RFC 7515 §4).
struct LoginTokenHeader {
    let algorithm: String
    let type: String
    let keyID: String

    private struct Fields: Decodable {
        let alg: String
        let typ: String
        let kid: String
        let crit: [String]?
    }

    /// The header of our own tokens, base64url.
    static func encoded(keyID: String) -> String {
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"login+jwt","kid":\#(JSONText.quoted(keyID))}"#.utf8))
    }

    /// - Returns: `nil` unless `alg`, `typ` and `kid` are there, and for any critical extension.
    init?(_ bytes: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes)), fields.crit == nil else {
            return nil
        }
        algorithm = fields.alg
        type = fields.typ
        keyID = fields.kid
    }
}

/// The claims of a login token as JSON.
enum LoginTokenPayload {
    static func encode(_ claims: LoginTokenClaims) -> String {
        var json = JSONObjectWriter()
        json.add("iss", claims.issuer)
        json.add("aud", claims.audience.rawValue)
        json.add("sub", claims.subject.rawValue)
        json.add("iat", claims.issuedAt.seconds)
        json.add("exp", claims.expiresAt.seconds)
        json.add("jti", claims.id.rawValue)
        json.add("client_id", claims.clientID.rawValue)
        if let sid = claims.sessionID { json.add("sid", sid.rawValue) }
        if let time = claims.authentication.time { json.add("auth_time", time.seconds) }
        if let acr = claims.authentication.acr { json.add("acr", acr) }
        if !claims.authentication.amr.isEmpty { json.add("amr", claims.authentication.amr) }
        if let target = claims.target { json.add("tgt", target) }
        if let confirmation = confirmation(claims.binding) { json.add("cnf", json: confirmation) }
        return String(decoding: json.finish(), as: UTF8.self)
    }

    private static func confirmation(_ binding: LoginTokenBinding) -> String? {
        guard binding != .none else { return nil }
        var members = JSONObjectWriter()
        if let challenge = binding.challenge { members.add("S256", challenge.value) }
        switch binding.network {
        case .none: break
        case .network(let prefix): members.add("network", prefix)
        case .exact(let address): members.add("address", address)
        }
        return String(decoding: members.finish(), as: UTF8.self)
    }

    private struct Fields: Decodable {
        let iss: String
        let aud: String
        let sub: String
        let iat: Int64
        let exp: Int64
        let jti: String
        let client_id: String
        let sid: String?
        let auth_time: Int64?
        let acr: String?
        let amr: [String]?
        let tgt: String?
        let cnf: Confirmation?
    }

    private struct Confirmation: Decodable {
        let S256: String?
        let network: String?
        let address: String?
    }

    /// Reads a payload whose signature was verified.
    static func decode(_ bytes: [UInt8]) -> LoginTokenClaims? {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(bytes)) else { return nil }
        let challenge = fields.cnf?.S256.flatMap { CodeChallenge($0) }
        // A binding that cannot be read must not become no binding.
        guard (fields.cnf?.S256 == nil) == (challenge == nil) else { return nil }
        let network: LoginTokenBinding.Network =
            if let prefix = fields.cnf?.network {
                .network(prefix)
            } else if let address = fields.cnf?.address {
                .exact(address)
            } else {
                .none
            }
        return LoginTokenClaims(
            issuer: fields.iss, audience: ClientID(rawValue: fields.aud), subject: Subject(rawValue: fields.sub),
            issuedAt: Timestamp(seconds: fields.iat), expiresAt: Timestamp(seconds: fields.exp),
            id: TokenID(rawValue: fields.jti), clientID: ClientID(rawValue: fields.client_id),
            sessionID: fields.sid.map(SessionID.init(rawValue:)),
            authentication: Authentication(
                time: fields.auth_time.map(Timestamp.init(seconds:)), acr: fields.acr, amr: fields.amr ?? []),
            target: fields.tgt, binding: LoginTokenBinding(challenge: challenge, network: network))
    }
}
