import Crypto
import Foundation
import OAuth2

/// What the placeholders of one run stand for: keys and secrets made for it alone.
struct ScriptFill: Sendable {
    /// What `{now}` is: a fixed instant, so that no case depends on when it runs. Seconds since 1970.
    static let now = 1_800_000_000

    let origin: String
    let issuer: String
    let trap: String
    private(set) var secrets: [String: String] = [:]
    private(set) var issuedTokens: [String] = []
    private var keys: [String: P256.Signing.PrivateKey] = [:]

    /// The authorization request that an answer is about.
    var authorization = AuthorizationNote()

    init(origin: String, run: String) {
        self.origin = origin
        issuer = "\(origin)/r/\(run)"
        trap = "\(origin.replacing("127.0.0.1", with: "localhost"))/trap/\(run)"
    }

    mutating func secret(_ name: String) -> String {
        if let known = secrets[name] { return known }
        let made = Self.random()
        secrets[name] = made
        return made
    }

    static func random() -> String {
        Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes(Array.init))
    }

    /// `ds_hash` and `at_hash` of a token.
    static func halfHash(_ text: String) -> String {
        SHA256Hash(of: text).base64URLOfHalf
    }

    private mutating func key(_ name: String) -> P256.Signing.PrivateKey {
        if let known = keys[name] { return known }
        let made = P256.Signing.PrivateKey()
        keys[name] = made
        return made
    }

    mutating func keySet(_ names: [String]) -> JSONValue {
        let set = names.map { name -> JSONValue in
            let point = Array(key(name).publicKey.rawRepresentation)
            return .object([
                "kid": .string(name), "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"),
                "alg": .string("ES256"), "x": .string(Base64URL.encode(Array(point[..<32]))),
                "y": .string(Base64URL.encode(Array(point[32...]))),
            ])
        }
        return .object(["keys": .array(set)])
    }

    mutating func text(_ template: String) -> String {
        var filled = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            filled += placeholder(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    private mutating func placeholder(_ name: Substring) -> String {
        switch name {
        case "issuer": return issuer
        case "issuer_encoded": return PercentEncoding.encode(issuer)
        case "origin": return origin
        case "trap": return trap
        case "state": return authorization.state
        case "nonce": return authorization.nonce
        case "redirect_uri": return authorization.redirect
        case "client_id": return authorization.client
        default: break
        }
        let parts = name.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0] == "secret" { return secret(String(parts[1])) }
        if parts.count == 2, parts[0] == "hash" { return Self.halfHash(secret(String(parts[1]))) }
        if name.hasPrefix("date"), let offset = Int(name.dropFirst(4)) { return Self.httpDate(Self.now + offset) }
        if name == "now" { return "\(Self.now)" }
        if name.hasPrefix("now"), let offset = Int(name.dropFirst(3)) { return "\(Self.now + offset)" }
        return "{\(name)}"
    }

    private static func httpDate(_ seconds: Int) -> String {
        let style = DateFormatter()
        style.locale = Locale(identifier: "en_US_POSIX")
        style.timeZone = TimeZone(secondsFromGMT: 0)
        style.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return style.string(from: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// - Parameter form: of the request that is answered.
    mutating func value(_ template: JSONValue, answering form: FormParameters = .none) -> JSONValue {
        switch template {
        case .string(let text):
            // An instant is a number where it stands alone.
            if text.hasPrefix("{now"), text.hasSuffix("}"), let number = Int(self.text(text)) {
                return .number("\(number)")
            }
            return .string(self.text(text))
        case .array(let values): return .array(values.map { value($0, answering: form) })
        case .object(let members):
            if let names = members["$keys"]?.strings { return keySet(names) }
            var filled: [String: JSONValue] = [:]
            for (name, member) in members where member.object?["$id_token"] == nil {
                filled[name] = value(member, answering: form)
            }
            for (name, member) in members {
                guard let wish = member.object?["$id_token"]?.object else { continue }
                filled[name] = .string(idToken(wish, beside: filled, answering: form))
            }
            return .object(filled)
        default: return template
        }
    }

    private mutating func idToken(
        _ wish: [String: JSONValue], beside members: [String: JSONValue], answering form: FormParameters
    ) -> String {
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(form["client_id"] ?? authorization.client), "sub": .string("alice"),
            "iat": .number("\(Self.now)"), "exp": .number("\(Self.now + 3600)"), "sid": .string("s1"),
        ]
        if form["grant_type"] == "authorization_code" { claims["nonce"] = .string(authorization.nonce) }
        if let token = members["access_token"]?.string { claims["at_hash"] = .string(Self.halfHash(token)) }
        if let secret = members["device_secret"]?.string ?? form["actor_token"] {
            claims["ds_hash"] = .string(Self.halfHash(secret))
        }
        for (name, claim) in wish["claims"]?.object ?? [:] { claims[name] = claim.isNull ? nil : value(claim) }
        let name = wish["key"]?.string ?? "k1"
        let manner = wish["sign"]?.string ?? "es256"
        let algorithm = ["none": "none", "hs256": "HS256"][manner] ?? "ES256"
        var header: [String: JSONValue] = [
            "alg": .string(algorithm), "typ": .string("JWT"), "kid": .string(name),
        ]
        for (name, member) in wish["header"]?.object ?? [:] { header[name] = member.isNull ? nil : value(member) }
        let parts = [header, claims].map { Base64URL.encode(Array(JSONValue.object($0).text.utf8)) }
        let signed = parts.joined(separator: ".")
        let token = "\(signed).\(signature(of: signed, key(name), manner))"
        issuedTokens.append(token)
        return token
    }

    private func signature(of text: String, _ key: P256.Signing.PrivateKey, _ manner: String) -> String {
        let bytes = Array(text.utf8)
        switch manner {
        case "none", "empty": return ""
        case "zeros": return Base64URL.encode(Array(repeating: 0, count: 64))
        case "ones": return Base64URL.encode(Array(repeating: 0xFF, count: 64))
        case "hs256":
            let secret = SymmetricKey(data: key.publicKey.x963Representation)
            return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: bytes, using: secret)))
        case "other_key": return Self.sign(bytes, with: P256.Signing.PrivateKey())
        case "altered": return Self.sign(bytes + [0x20], with: key)
        default: return Self.sign(bytes, with: key)
        }
    }

    private static func sign(_ bytes: [UInt8], with key: P256.Signing.PrivateKey) -> String {
        (try? key.signature(for: bytes)).map { Base64URL.encode(Array($0.rawRepresentation)) } ?? ""
    }
}

/// What an authorization request said.
struct AuthorizationNote: Sendable {
    var client = ""
    var state = ""
    var nonce = ""
    var redirect = ""
    var challenge = ""
}
