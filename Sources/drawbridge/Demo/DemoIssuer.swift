import Bridge
import Crypto
import Federation
import OAuth2

/// The backend whose bearer tokens the demo's app holds: an issuer with a secret that it shares with Drawbridge.
struct DemoIssuer: Sendable {
    static let issuer = "https://backend.example"
    static let audience = "drawbridge"
    static let keyID = "demo"
    /// Long enough to look around, short enough to be thrown away.
    static let tokenLifetime = Duration.seconds(600)

    let secret: Secret<[UInt8]>

    /// Reads the secret from the demo's folder (``DemoMaterial/issuerSecret``).
    init(folder: DemoFolder) throws {
        let path = folder.path(of: .issuerSecret)
        guard let bytes = Base64URL.decode(String(decoding: try PrivateFile.read(path), as: UTF8.self)) else {
            throw LoginTokenKeyFileError(path: path, problem: "is not a secret of the demo")
        }
        secret = Secret(bytes)
    }

    /// Its people are those of the demo's accounts, so that both ways in lead to the same user.
    var settings: TrustedIssuerSettings {
        TrustedIssuerSettings(
            issuer: Self.issuer, audiences: [Self.audience],
            verification: .hmac(secret: secret, keyID: Self.keyID, algorithm: .hs256),
            sharesSubjectsWithAccounts: true)
    }

    /// A bearer token as the backend would give its app at sign-in.
    func bearer(for person: DemoPerson, at now: Timestamp) -> Secret<String> {
        var claims = JSONObjectWriter()
        claims.add("iss", Self.issuer)
        claims.add("aud", Self.audience)
        claims.add("sub", person.subject)
        claims.add("client_id", DemoClients.app.rawValue)
        claims.add("iat", now.seconds)
        claims.add("exp", (now + Self.tokenLifetime).seconds)
        let header = #"{"alg":"HS256","typ":"JWT","kid":"\#(Self.keyID)"}"#
        let body = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.finish())
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(body.utf8), using: SymmetricKey(data: secret.expose()))
        return Secret(body + "." + Base64URL.encode(Array(code)))
    }

    /// As the ready line writes it (contract §15): whoever starts the demo may sign tokens of their own.
    var json: String {
        var object = JSONObjectWriter()
        object.add("issuer", Self.issuer)
        object.add("audience", Self.audience)
        object.add("kid", Self.keyID)
        object.add("hmac_secret", Base64URL.encode(secret.expose()))
        object.add("subject_claim", "sub")
        object.add("client_claim", "client_id")
        return object.finishedText()
    }
}
