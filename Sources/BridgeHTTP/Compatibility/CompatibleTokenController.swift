import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/v0/sign_in/token`, `/refresh` and `/revoke`: the token endpoint in the shape of the VA's service.
struct CompatibleTokenController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "\(SignInCompatibility.base)/token", "compat_token", .compatibleClient, token),
        Route(.post, SignInCompatibility.refreshPath, "compat_refresh", .compatibleClient, refresh),
        Route(.post, "\(SignInCompatibility.base)/revoke", "compat_revoke", .compatibleClient, revoke),
    ]

    static let place = SignInCompatibility.place
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let compatibility: SignInCompatibility
    let tokens: TokenEndpoint
    let secrets: DeviceSecrets
    let endings: SessionEndings
    let cookieRefresh: SessionRefreshController

    @Sendable func token(
        _ request: Request, context: BridgeRequestContext, sent: FormParameters
    ) async throws -> Response {
        func refused(with error: OAuthError) async throws -> OAuthError {
            try await recorded(error, from: named(in: sent), request, context)
        }
        func refused(_ reason: RefusalReason) async throws -> OAuthError {
            try await refused(with: OAuthError(.invalidRequest, detail: reason))
        }
        try await context.requireAwaited()
        guard let name = sent["grant_type"] else { throw try await refused(.missingGrantType) }
        guard let type = GrantType(rawValue: name) else {
            throw try await refused(with: TokenEndpoint.unsupportedGrantType)
        }
        // That service exchanges access tokens alone; what is missing is told first.
        if type == .tokenExchange, sent["subject_token_type"] == TokenTypeURI.idToken,
            ["subject_token", "actor_token", "actor_token_type", "client_id"].allSatisfy({ sent[$0] != nil })
        {
            throw try await refused(.subjectTokenType)
        }
        guard type == .authorizationCode else { return try await answer(sent, request, context) }
        guard let code = sent["code"] else { throw try await refused(.missingCode) }
        let grant = try await grant(ofCode: code)
        // Looked at before the code is: a request that lacks it is not a try that uses the code up. Only who began
        // without a challenge has none to send.
        let isExpected = grant.map { $0.codeChallenge != nil } ?? true
        guard sent["code_verifier"] != nil || !isExpected else {
            throw try await refused(.missingCodeVerifier)
        }
        var parameters = sent
        // Its apps send the code alone: it knows its client.
        if parameters["client_id"] == nil {
            guard let client = grant?.clientID else {
                throw try await refused(with: Self.invalidCode(RefusalReason.unknownCode.rawValue))
            }
            parameters = try CompatibleParameters.adding([("client_id", client.rawValue)], to: parameters)
        }
        do {
            return try await answer(parameters, request, context)
        } catch let error as OAuthError where error.code == .invalidGrant {
            // Recorded by the endpoint; that service has one sentence for every invalid code, and one for a verifier
            // that does not fit.
            guard error.detail != RefusalReason.codeVerifier.rawValue else {
                throw OAuthError(.invalidGrant, "Code Verifier is not valid", detail: error.detail)
            }
            throw Self.invalidCode(error.detail)
        }
    }

    private static func invalidCode(_ detail: String?) -> OAuthError {
        OAuthError(.invalidGrant, "Code is not valid", detail: detail)
    }

    @Sendable func refresh(
        _ request: Request, context: BridgeRequestContext, parameters: FormParameters
    ) async throws -> Response {
        guard let token = parameters["refresh_token"] else {
            guard clients.current.tokenCookiePrefixes.contains(where: request.hasRefreshCookie) else {
                throw try await recorded(Self.missingRefreshToken, from: named(in: parameters), request, context)
            }
            let proof = request.headers[.xCSRFToken] ?? parameters["anti_csrf_token"]
            return try await cookieRefresh.renew(
                request, context, proof: proof, path: SignInCompatibility.refreshPath)
        }
        try await context.requireAwaited()
        var pairs = [("grant_type", GrantType.refreshToken.rawValue)]
        if parameters["client_id"] == nil {
            guard let client = try await known(token)?.session.clientID else {
                throw try await recorded(Self.invalidRefreshToken, request, context)
            }
            pairs.append(("client_id", client.rawValue))
        }
        do {
            return try await answer(try CompatibleParameters.adding(pairs, to: parameters), request, context)
        } catch let error as OAuthError where error.code == .invalidGrant {
            // Recorded by the endpoint; its apps know that a token is no longer good by the status.
            throw Self.invalidRefreshToken
        }
    }

    private static let missingRefreshToken = OAuthError(.invalidRequest, detail: .missingRefreshToken)
    private static let invalidRefreshToken = OAuthError(
        .invalidToken, "Refresh token is not valid", detail: .unknownRefreshToken)
    private static let endedRefreshToken = OAuthError(
        .invalidToken, "Refresh token is not valid", detail: .sessionEnded)

    /// - Parameters:
    ///   - sender: who sent it, as far as that is known.
    ///   - owner: whose the token is that came with it, where that is known.
    private func recorded(
        _ error: OAuthError, from sender: SendingClient = .unknown, of owner: TokenOwner? = nil,
        _ request: Request, _ context: BridgeRequestContext
    ) async throws -> OAuthError {
        try await tokens.record(error, from: sender, of: owner, origin: context.origin(of: request))
        return error
    }

    /// Whose a request says to be; nobody has checked it.
    private func named(in parameters: FormParameters) -> SendingClient {
        SendingClient(named: parameters["client_id"].flatMap { clients.current[ClientID(rawValue: $0)] })
    }

    /// With the device secret everything that it spawned ends, without it the one session.
    @Sendable func revoke(
        _ request: Request, context: BridgeRequestContext, parameters: FormParameters
    ) async throws -> Response {
        let origin = context.origin(of: request)
        let now = time.now()
        guard let token = parameters["refresh_token"] else {
            throw try await recorded(Self.missingRefreshToken, from: named(in: parameters), request, context)
        }
        if let cookie = OpaqueSecret(token, kind: .sessionRefresh) {
            return try await signOut(cookie, request, context, parameters: parameters)
        }
        guard let known = try await known(token) else {
            throw try await recorded(Self.invalidRefreshToken, from: named(in: parameters), request, context)
        }
        let session = known.session
        let asker = EndingAsker(session.clientID, in: session.id)
        guard session.isAlive(at: now) else {
            throw try await recorded(
                Self.endedRefreshToken, from: .known(session.clientID),
                of: TokenOwner(of: session, digest: known.record.digest), request, context)
        }
        if let text = parameters["device_secret"] {
            // A stolen refresh token must not end somebody else's device, nor an app one that is not shared with it
            // (contract §16.7).
            let directory = clients.current
            let found = try await deviceSecret(of: text)
            guard let device = found, device.subject == session.subject,
                directory[session.clientID]?.mayHold(device, among: directory) == true
            else {
                throw try await recorded(
                    Self.wrongDeviceSecret, from: .known(session.clientID),
                    of: TokenOwner(of: session, digest: known.record.digest, beside: found?.id), request, context)
            }
            _ = try await secrets.revoke(device.id, reason: .signedOut, by: asker, origin: origin, at: now)
        }
        try await endings.end(
            .appSession(session.id), Ending(at: now, reason: .signedOut, origin: origin, by: asker))
        return Response(status: .ok, headers: TokenAnswer.headers)
    }

    private static let wrongDeviceSecret = OAuthError(
        .invalidToken, "the device secret is not valid", detail: .wrongDeviceSecret)

    /// By a website's refresh cookie, which its server sees. Websites hold no device secrets (contract §5.6).
    private func signOut(
        _ cookie: OpaqueSecret, _ request: Request, _ context: BridgeRequestContext, parameters: FormParameters
    ) async throws -> Response {
        func refused(_ error: OAuthError) async throws -> OAuthError {
            let session = try await cookieRefresh.refresh.session(of: cookie)
            let owner = session.map { TokenOwner(of: $0, digest: cookie.digest) }
            let sender = session.map { SendingClient.known($0.clientID) } ?? .unknown
            return try await recorded(error, from: sender, of: owner, request, context)
        }
        guard parameters["device_secret"] == nil else { throw try await refused(Self.wrongDeviceSecret) }
        let hasEnded = try await cookieRefresh.refresh.signOut(
            cookie, proof: parameters["anti_csrf_token"], origin: context.origin(of: request))
        guard hasEnded else { throw try await refused(Self.invalidRefreshToken) }
        return Response(status: .ok, headers: TokenAnswer.headers)
    }

    private func answer(
        _ parameters: FormParameters, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let origin = context.origin(of: request)
        let basic = try await tokens.recordingUnreadable(origin: origin) { try BasicCredentials.read(request.headers) }
        let answer: TokenResponse
        do {
            answer = try await tokens.answer(
                parameters, basic: basic, proof: request.proofOfPossession,
                cookies: CookieRecipient.allowance(of: request.headers, own: origins.own(of: request)), origin: origin)
        } catch let refused as ClientRefused {
            if refused.error.detail == RefusalReason.missingClientID.rawValue {
                throw OAuthError(.invalidRequest, detail: .missingClientID)
            }
            throw OAuthError(refused.error.code, refused.error.publicDescription, detail: .unknownClient)
        }
        switch answer {
        case .tokens(var tokens):
            tokens.refreshToken = tokens.refreshToken.map(CompatibleRefreshToken.write)
            return TokenAnswer.response("{\"data\":\(TokenAnswer.json(tokens))}")
        case .cookies(var delivered):
            delivered.cookies = delivered.cookies.map { $0.moved(to: SignInCompatibility.refreshPath) }
            return TokenAnswer.response(
                .cookies(delivered), to: request, host: origins.configured.website.host, at: time.now())
        }
    }

    func read(_ request: Request, _ context: BridgeRequestContext) async throws -> FormParameters {
        let parameters = try await CompatibleParameters.read(
            request, refusingSecretsBy: tokens, origin: context.origin(of: request))
        guard let token = parameters["refresh_token"] else { return parameters }
        return try CompatibleParameters.adding([("refresh_token", CompatibleRefreshToken.read(token))], to: parameters)
    }

    private func grant(ofCode code: String) async throws -> AuthorizationGrant? {
        guard let secret = OpaqueSecret(code, kind: .authorizationCode) else { return nil }
        return try await compatibility.grants.code(digest: secret.digest)?.code.grant
    }

    /// A refresh token that was given out, in whatever state.
    private func known(_ token: String) async throws -> RefreshTokenState? {
        guard let secret = OpaqueSecret(token, kind: .refreshToken) else { return nil }
        return try await compatibility.grants.refreshToken(digest: secret.digest)
    }

    /// The device that a secret is of, in whatever state.
    private func deviceSecret(of text: String) async throws -> DeviceSecret? {
        guard let secret = OpaqueSecret(text, kind: .deviceSecret) else { return nil }
        return try await compatibility.devices.deviceSecret(digest: secret.digest)?.device
    }
}

extension TokenCookie {
    /// The refresh cookie for another route; every other cookie as it is.
    func moved(to refreshPath: String) -> TokenCookie {
        guard path == CookieTokens.refreshPath else { return self }
        return TokenCookie(
            name: name, value: value, path: refreshPath, domain: domain, maximumAge: maximumAge,
            isHTTPOnly: isHTTPOnly)
    }
}

extension Request {
    /// Whether it has a refresh cookie with this prefix, whatever is in it.
    fileprivate func hasRefreshCookie(prefix: String) -> Bool {
        cookie(named: prefix + CookieTokens.refreshTokenName) != nil
    }
}

/// A refresh token in three pieces, as the VA's service writes it: its apps keep two of them and write the third, the
/// version, themselves.
enum CompatibleRefreshToken {
    private static let version = "V0"
    /// A token is cut after the prefix and half of the random part.
    private static let cut = 26

    static func write(_ token: Secret<String>) -> Secret<String> {
        let text = token.expose()
        return Secret("\(text.prefix(cut)).\(text.dropFirst(cut)).\(version)")
    }

    /// - Returns: what it was made from; any other text as it is.
    static func read(_ text: String) -> String {
        let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
        guard pieces.count == 3, pieces[2] == version else { return text }
        return String(pieces[0] + pieces[1])
    }
}
