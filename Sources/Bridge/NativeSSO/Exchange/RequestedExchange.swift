import OAuth2

/// What a token exchange asks for: the row of the table of contract §5.4 that its parameters fall in.
enum RequestedExchange: Sendable {
    /// Tokens or cookies of another client, for an app's token and a device secret.
    case native(NativeSSOExchange.ExchangeRequest)
    /// A login token, for an access token of the app's own.
    case issue(Secret<String>)
    /// Tokens for a website's server, for a login token (contract §4.4).
    case redemption(Secret<String>)

    /// - Throws: `invalid_request` for what the table has no row for.
    init(_ request: TokenRequest) throws(OAuthError) {
        let subject = Secret(try request.required("subject_token", else: .missingSubjectToken))
        let subjectType = try request.required("subject_token_type", else: .missingSubjectTokenType)
        let wanted = request.parameters["requested_token_type"]
        if let actor = try Self.actor(request) {
            let kind: NativeSSOFacts.SubjectToken.Kind
            switch subjectType {
            case TokenTypeURI.idToken: kind = .idToken
            case TokenTypeURI.accessToken: kind = .accessToken
            default: throw Self.notOffered(.subjectTokenType)
            }
            guard wanted == nil || wanted == TokenTypeURI.accessToken else {
                throw Self.notOffered(.requestedTokenType)
            }
            self = .native(.init(kind: kind, subjectToken: subject, deviceSecret: actor))
            return
        }
        switch (subjectType, wanted) {
        case (TokenTypeURI.accessToken, TokenTypeURI.loginToken): self = .issue(subject)
        case (TokenTypeURI.loginToken, nil), (TokenTypeURI.loginToken, TokenTypeURI.accessToken):
            self = .redemption(subject)
        case (TokenTypeURI.idToken, _):
            throw OAuthError(.invalidRequest, "actor_token is missing", detail: .missingActorToken)
        case (TokenTypeURI.accessToken, nil), (TokenTypeURI.accessToken, TokenTypeURI.accessToken):
            throw OAuthError(.invalidRequest, "actor_token is missing", detail: .missingActorToken)
        case (TokenTypeURI.accessToken, _), (TokenTypeURI.loginToken, _):
            throw Self.notOffered(.requestedTokenType)
        default: throw Self.notOffered(.subjectTokenType)
        }
    }

    /// The device secret, under its present or its old name; RFC 8693 §2.1 wants both parameters or none.
    private static func actor(_ request: TokenRequest) throws(OAuthError) -> Secret<String>? {
        let type = request.parameters["actor_token_type"]
        guard let token = request.parameters["actor_token"] else {
            guard type == nil else {
                throw OAuthError(.invalidRequest, "actor_token is missing", detail: .missingActorToken)
            }
            return nil
        }
        guard let type else {
            throw OAuthError(.invalidRequest, "actor_token_type is missing", detail: .missingActorTokenType)
        }
        guard type == TokenTypeURI.deviceSecret || type == TokenTypeURI.oldDeviceSecret else {
            throw Self.notOffered(.actorTokenType)
        }
        return Secret(token)
    }

    /// - Parameter type: that of a parameter, by whose name it goes.
    private static func notOffered(_ type: RefusalReason) -> OAuthError {
        OAuthError(.invalidRequest, "\(type.rawValue) is not offered here", detail: type)
    }
}
