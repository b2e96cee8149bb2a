import Bridge
import Logging
import OAuth2

/// An issuer that is asked about each token (RFC 7662).
final class IntrospectingIssuer: TrustedIssuer {
    let settings: TrustedIssuerSettings
    let endpoint: EndpointURL
    let clientID: String
    let clientSecret: Reloadable<Secret<String>>
    let reread: (@Sendable () throws -> Secret<String>)?
    let connection: IssuerConnection
    let logger: Logger
    private let answers: IntrospectionAnswers

    /// - Parameter reread: takes the secret from its file again; `nil` for one that is in no file.
    init(
        settings: TrustedIssuerSettings, endpoint: EndpointURL, clientID: String, clientSecret: Secret<String>,
        reread: (@Sendable () throws -> Secret<String>)?, connection: IssuerConnection, logger: Logger
    ) {
        self.settings = settings
        self.endpoint = endpoint
        self.clientID = clientID
        self.clientSecret = Reloadable(clientSecret)
        self.reread = reread
        self.connection = connection
        self.logger = logger
        answers = IntrospectionAnswers(limits: connection.limits)
    }

    func identity(of token: Secret<String>, parsed: ForeignToken?, at now: Timestamp) async throws -> BearerIdentity {
        let key = TokenDigest(token)
        guard !answers.isKnownInactive(key, at: now) else { throw BearerRefusal.inactive }
        let answer = try await answers.members(for: key, at: now) { try await self.members(of: token) }
        guard answer["active"]?.bool == true else { throw BearerRefusal.inactive }
        if let issuer = answer["iss"] {
            guard let issuer = issuer.string, issuer.hasSameBytes(as: settings.issuer) else {
                throw BearerRefusal.unknownIssuer
            }
        }
        try Self.checkUse(of: answer)
        return try BearerClaims(settings: settings, claims: answer)
            .identity(at: now, cacheLifetime: connection.limits.introspectionLifetime, isSigned: false)
    }

    /// Refuses what the issuer says is not an access token: an endpoint may know refresh tokens too (RFC 7662 §2.1),
    /// and pays our hint no attention. One that does not say (RFC 7662 §2.2 has `token_type` optional) is believed.
    private static func checkUse(of answer: IntrospectionAnswers.Members) throws(BearerRefusal) {
        if let type = try text("token_type", of: answer)?.lowercased() {
            guard type != "dpop" || answer["cnf"] != nil else { throw .missing(claim: "cnf") }
            guard tokenTypes.contains(type) else { throw .wrongType }
        }
        if let use = try text("token_use", of: answer) {
            guard tokenUses.contains(use) else { throw .wrongType }
        }
    }

    private static func text(
        _ name: String, of answer: IntrospectionAnswers.Members
    ) throws(BearerRefusal) -> String? {
        guard let value = answer[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformed(claim: name) }
        return text
    }

    /// In lower case (RFC 6749 §7.1): of RFC 6750 and RFC 9449, and what some issuers say in their place, such as the
    /// name of RFC 8693 §3.
    private static let tokenTypes: Set = ["bearer", "dpop", "access_token", TokenTypeURI.accessToken]
    /// What Ory Hydra and Amazon Cognito say.
    private static let tokenUses: Set = ["access_token", "access"]

    func mustAsk(about token: Secret<String>, at now: Timestamp) -> Bool {
        !answers.isKnownInactive(TokenDigest(token), at: now)
    }

    /// - Returns: `nil` for what does not say whether the token is active (RFC 7662 §2.2).
    static func members(ofAnswer body: [UInt8]) -> IntrospectionAnswers.Members? {
        guard let members = JSONValue.parse(body)?.object, members["active"]?.bool != nil else { return nil }
        return members
    }

    private func members(of token: Secret<String>) async throws -> IntrospectionAnswers.Members {
        do {
            let body = try await connection.post(
                endpoint, form: [("token", token.expose()), ("token_type_hint", "access_token")],
                clientID: clientID, secret: clientSecret.current)
            guard let members = Self.members(ofAnswer: body) else { throw IssuerMetadataError.malformed }
            return members
        } catch {
            // Also when the endpoint refuses our own credentials: the token may well be good.
            logger.warning(
                "an introspection endpoint gave no usable answer",
                metadata: ["issuer": "\(settings.issuer)", "error": "\(error)"])
            throw StorageError.unavailable("introspection")
        }
    }

    /// Keeps the secret it has when the file is broken, and says so.
    func reload() throws {
        answers.forget()
        guard let secret = try reread?() else { return }
        if let fault = TrustedIssuerSettings.fault(of: secret) {
            throw TrustedIssuerError(field: "introspection.client_secret_file", text: fault)
        }
        clientSecret.replace(with: secret)
    }
}
