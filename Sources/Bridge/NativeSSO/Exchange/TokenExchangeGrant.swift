package import OAuth2

/// Token exchange (RFC 8693), the whole table of contract §5.4.
package final class TokenExchangeGrant: TokenGrant {
    package let type = GrantType.tokenExchange
    private let native: NativeSSOExchange
    private let loginTokens: LoginTokenExchange

    package init(native: NativeSSOExchange, loginTokens: LoginTokenExchange) {
        self.native = native
        self.loginTokens = loginTokens
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let subject = Secret(try request.required("subject_token"))
        let subjectType = try request.required("subject_token_type")
        let wanted = request.parameters["requested_token_type"]
        if let actor = try actor(request) {
            let kind: NativeSSOFacts.SubjectToken.Kind
            switch subjectType {
            case TokenTypeURI.idToken: kind = .idToken
            case TokenTypeURI.accessToken: kind = .accessToken
            default: throw Self.notOffered("subject_token_type")
            }
            guard wanted == nil || wanted == TokenTypeURI.accessToken else {
                throw Self.notOffered("requested_token_type")
            }
            return try await native.exchange(
                .init(kind: kind, subjectToken: subject, deviceSecret: actor), for: request)
        }
        switch (subjectType, wanted) {
        case (TokenTypeURI.accessToken, TokenTypeURI.loginToken):
            return .tokens(try await loginTokens.issue(for: subject, request))
        case (TokenTypeURI.loginToken, nil), (TokenTypeURI.loginToken, TokenTypeURI.accessToken):
            return .tokens(try await loginTokens.redeem(subject, request))
        case (TokenTypeURI.idToken, _):
            throw OAuthError(.invalidRequest, "actor_token is missing", detail: "missing_actor_token")
        case (TokenTypeURI.accessToken, nil), (TokenTypeURI.accessToken, TokenTypeURI.accessToken):
            throw OAuthError(.invalidRequest, "actor_token is missing", detail: "missing_actor_token")
        case (TokenTypeURI.accessToken, _), (TokenTypeURI.loginToken, _):
            throw Self.notOffered("requested_token_type")
        default: throw Self.notOffered("subject_token_type")
        }
    }

    /// The device secret, under its present or its old name; RFC 8693 §2.1 wants both parameters or none.
    private func actor(_ request: TokenRequest) throws(OAuthError) -> Secret<String>? {
        let type = request.parameters["actor_token_type"]
        guard let token = request.parameters["actor_token"] else {
            guard type == nil else {
                throw OAuthError(.invalidRequest, "actor_token is missing", detail: "missing_actor_token")
            }
            return nil
        }
        guard let type else {
            throw OAuthError(.invalidRequest, "actor_token_type is missing", detail: "missing_actor_token_type")
        }
        guard type == TokenTypeURI.deviceSecret || type == TokenTypeURI.oldDeviceSecret else {
            throw Self.notOffered("actor_token_type")
        }
        return Secret(token)
    }

    private static func notOffered(_ parameter: String) -> OAuthError {
        OAuthError(.invalidRequest, "\(parameter) is not offered here", detail: parameter)
    }
}
