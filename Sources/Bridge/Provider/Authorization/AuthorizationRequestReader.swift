package import OAuth2

/// Checks an authorization request in one order; every step ends the request
/// (docs/rules/authorization-request.md A1 to A9).
package struct AuthorizationRequestReader: Sendable {
    /// What `request_uri` was found to lead to.
    package enum Pushed: Sendable {
        /// There is no `request_uri`, or one that is not ours.
        case none
        /// It is ours but unknown, used, expired, or another client's.
        case unusable
        /// The parameters that were pushed, or that we sealed ourselves after they had been checked.
        case found(FormParameters)
    }

    /// What every pushed request's URI begins with (RFC 9126 §2.2).
    package static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// What is wrong with any other `resource`.
    static let foreignResource = "resource must be this issuer"
    /// What is wrong with a `scope` of which nothing is left.
    static let noScope = "the client may have none of these scopes"

    /// What every access token is for.
    private let issuer: String
    private let clients: ClientDirectory
    /// The user that an `id_token_hint` names; `nil` for one that we did not sign.
    private let subjectOfHint: @Sendable (String) -> Subject?

    package init(
        issuer: String, clients: ClientDirectory, subjectOfHint: @escaping @Sendable (String) -> Subject?
    ) {
        self.issuer = issuer
        self.clients = clients
        self.subjectOfHint = subjectOfHint
    }

    package func read(
        _ parameters: FormParameters, pushed: Pushed = .none
    ) -> Result<AuthorizationRequest, AuthorizationRefusal> {
        do {
            return .success(try check(parameters, pushed: pushed))
        } catch {
            return .failure(error)
        }
    }

    private func check(
        _ outer: FormParameters, pushed: Pushed
    ) throws(AuthorizationRefusal) -> AuthorizationRequest {
        // docs/rules/authorization-request.md A1 to A4: until the redirect URI is known to be the client's, no browser
        // is redirected.
        guard !AuthorizationParameter.identifying.contains(where: outer.isRepeated) else {
            throw .page(.invalidRequest, .repeatedParameter)
        }
        guard let clientID = outer["client_id"] else { throw .page(.invalidRequest, .missingClient) }
        guard let client = clients[ClientID(rawValue: clientID)] else { throw .page(.invalidClient, .unknownClient) }
        let parameters: FormParameters
        switch pushed {
        case .none: parameters = outer
        case .unusable: throw .page(.invalidRequestURI, .unusableRequestURI)
        case .found(let inner): parameters = inner
        }
        let (uri, kind) = try Self.redirect(of: client, parameters)
        let mode = Self.mode(parameters, kind)
        let answer = AuthorizationReturn(
            redirectURI: uri, mode: mode ?? .query, state: parameters.isRepeated("state") ? nil : parameters["state"])
        let answerable = AnswerableRequest(client: client, answer: answer, kind: kind, parameters: parameters)
        for sent in [outer, parameters] {
            if let problem = AuthorizationParameter.repetition(in: sent) {
                throw answerable.refuse(.invalidRequest, problem)
            }
        }
        try answerable.checkForm()
        if client.requiresPushedRequests, case .none = pushed {
            throw answerable.refuse(.invalidRequest, "the client must push its authorization requests")
        }
        // A5
        guard mode != nil else { throw .page(.invalidRequest, .responseMode) }
        // A6
        try answerable.checkResponseType()
        // A7 and A8
        let scope = try answerable.scope()
        guard [outer, parameters].allSatisfy({ $0.keeps(AuthorizationParameter.resource, to: [issuer]) }) else {
            throw answerable.refuse(.invalidTarget, Self.foreignResource)
        }
        let challenge = try answerable.challenge()
        return try answerable.request(for: scope, challenge, subjectOfHint: subjectOfHint)
    }

    private static func redirect(
        of client: Client, _ parameters: FormParameters
    ) throws(AuthorizationRefusal) -> (String, RedirectURI.Kind) {
        guard let bytes = parameters.bytes("redirect_uri") else { throw .page(.invalidRequest, .missingRedirect) }
        guard let registered = client.redirectURIs.first(where: { $0.matches(bytes) }),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .page(.invalidRequest, .unregisteredRedirect) }
        return (text, registered.kind)
    }

    /// `nil` for a mode that is not supported. No form goes to an app's own scheme: there is no server to post it to, and
    /// what a system hands to the app is an address.
    private static func mode(_ parameters: FormParameters, _ kind: RedirectURI.Kind) -> ResponseMode? {
        guard !parameters.isRepeated("response_mode"), let text = parameters["response_mode"] else { return .query }
        guard let mode = ResponseMode(rawValue: text), mode == .query || kind != .privateUse else { return nil }
        return mode
    }

}

/// A request whose redirect URI is known to be its client's, so that the client is told what is wrong.
private struct AnswerableRequest {
    let client: Client
    let answer: AuthorizationReturn
    let kind: RedirectURI.Kind
    let parameters: FormParameters

    func refuse(_ code: ErrorCode, _ description: String) -> AuthorizationRefusal {
        .redirect(answer, code, description)
    }

    /// What is unreadable, and what asks for forms of a request that are not spoken here.
    func checkForm() throws(AuthorizationRefusal) {
        if let name = AuthorizationParameter.unreadable(in: parameters) {
            throw refuse(.invalidRequest, "\(name) is not UTF-8")
        }
        if parameters["request_uri"] != nil {
            throw refuse(.requestURINotSupported, "request_uri is not one of this server")
        }
        if parameters["request"] != nil { throw refuse(.requestNotSupported, "request is not supported") }
        if parameters["registration"] != nil {
            throw refuse(.registrationNotSupported, "registration is not supported")
        }
    }

    func checkResponseType() throws(AuthorizationRefusal) {
        guard let type = parameters["response_type"] else { throw refuse(.invalidRequest, "response_type is missing") }
        guard type == "code" else { throw refuse(.unsupportedResponseType, "response_type must be code") }
        guard client.grantTypes.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "the client may not use authorization codes")
        }
    }

    func scope() throws(AuthorizationRefusal) -> Scope {
        let asked: Scope
        if parameters.bytes("scope") == nil {
            // RFC 6749 §3.3 allows a default.
            asked = Scope(tokens: [Scope.openID])
        } else {
            guard let parsed = parameters["scope"].flatMap({ Scope($0) }) else {
                throw refuse(.invalidScope, "scope is malformed")
            }
            asked = parsed
        }
        // In place of the scope, so that consent, lineage and the answer see what is asked for (contract §16.2).
        let impliesDevice = client.getsDeviceSecretWithoutScope && asked.contains(Scope.openID)
        let granted = (impliesDevice ? asked.adding(Scope.deviceSSO) : asked).intersection(client.grantableScope)
        guard !granted.isEmpty else { throw refuse(.invalidScope, AuthorizationRequestReader.noScope) }
        return granted
    }

    /// RFC 7636; `plain` shows the verifier to anyone who sees the request, so a missing method is refused too (§4.3).
    func challenge() throws(AuthorizationRefusal) -> CodeChallenge? {
        guard let text = parameters["code_challenge"] else {
            guard !client.isPublic, !client.requiresPKCE else {
                throw refuse(.invalidRequest, "code challenge required")
            }
            guard parameters.bytes("code_challenge_method") == nil else {
                throw refuse(.invalidRequest, "code_challenge is missing")
            }
            return nil
        }
        guard parameters["code_challenge_method"] == "S256" else {
            throw refuse(.invalidRequest, "transform algorithm not supported")
        }
        guard let challenge = CodeChallenge(text) else {
            throw refuse(.invalidRequest, "code_challenge is malformed")
        }
        return challenge
    }

    /// - Parameter subjectOfHint: the user that an `id_token_hint` names.
    func request(
        for scope: Scope, _ challenge: CodeChallenge?, subjectOfHint: (String) -> Subject?
    ) throws(AuthorizationRefusal) -> AuthorizationRequest {
        let extras: AuthorizationExtras
        do throws(AuthorizationExtras.Problem) {
            extras = try AuthorizationExtras(parameters)
        } catch {
            throw refuse(.invalidRequest, error.description)
        }
        var hinted: Subject?
        if let hint = parameters[AuthorizationParameter.idTokenHint] {
            guard let subject = subjectOfHint(hint) else {
                throw refuse(.invalidRequest, "id_token_hint is not an ID token of this server")
            }
            hinted = subject
        }
        if let hinted, let claimed = extras.claimedSubject, hinted != claimed {
            throw refuse(.loginRequired, "the request names two users")
        }
        return AuthorizationRequest(
            client: client, redirectURI: answer.redirectURI, redirectKind: kind, responseMode: answer.mode,
            state: parameters["state"], scope: scope,
            nonce: parameters["nonce"], codeChallenge: challenge, prompts: extras.prompts,
            maximumAge: extras.maximumAge,
            loginHint: parameters["login_hint"], uiLocales: parameters["ui_locales"],
            requestedClaims: extras.requestedClaims.limited(to: client.grantableScope),
            essentialACRs: extras.essentialACRs, wantedACRs: extras.wantedACRs,
            expectedSubject: hinted ?? extras.claimedSubject,
            proofKeyThumbprint: parameters["dpop_jkt"])
    }
}
