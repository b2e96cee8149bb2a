import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What a client sends to authenticate, and to ask. The rules take nothing else, and let the client prove itself before
/// they read on.
struct ClientRequest: Sendable {
    let form: FormParameters
    let basic: BasicCredentials
    /// Where the request came from.
    let origin: RequestOrigin

    fileprivate init(form: FormParameters, basic: BasicCredentials, origin: RequestOrigin) {
        self.form = form
        self.basic = basic
        self.origin = origin
    }
}

/// Routes for clients.
protocol ClientGroup: RouteGroup {
    var endpoints: ClientEndpoints { get }
}

extension RouteGuard where Group: ClientGroup, Admitted == ClientRequest {
    /// A client, with errors as RFC 6749 §5.2 has them.
    static var client: Self { client(bodyLimit: TokenController.bodyLimit) }

    /// - Parameter exception: the secret that the address may hold as well.
    static func client(bodyLimit: Int, takingInAddress exception: String? = nil) -> Self {
        Self(.client) { group, handler in
            let tokens = group.endpoints.tokens
            return { request, context in
                try await TokenController.answeringErrors {
                    let origin = context.origin(of: request)
                    // Whatever else is there is none of ours, and may be as broken as it likes.
                    if let query = try? request.queryOfLink() {
                        try await tokens.refuseSecrets(in: query, except: exception, origin: origin)
                    }
                    let form = try await tokens.form(of: request, upTo: bodyLimit, origin: origin)
                    let basic = try await tokens.recordingUnreadable(origin: origin) {
                        try BasicCredentials.read(request.headers)
                    }
                    return try await handler(request, context, ClientRequest(form: form, basic: basic, origin: origin))
                }
            }
        }
    }
}

extension TokenEndpoint {
    /// As ``BodyReader/form(of:upTo:)``; a body that is no form is written down.
    fileprivate func form(
        of request: Request, upTo limit: Int, origin: RequestOrigin
    ) async throws -> FormParameters {
        try await recordingUnreadable(origin: origin) {
            guard BodyReader.isForm(request) else { throw BodyReader.notAForm }
        }
        let bytes = try await BodyReader.bytes(of: request, upTo: limit)
        return try await recordingUnreadable(origin: origin) { try FormParameters(bytes: bytes) }
    }

    /// Reads something of a request; one that cannot be read is refused before its client is known, and that is written
    /// down.
    func recordingUnreadable<Value: Sendable>(origin: RequestOrigin, _ read: () throws -> Value) async throws -> Value {
        do {
            return try read()
        } catch let error as OAuthError {
            try await record(error, origin: origin)
            throw error
        } catch let failure as FormParameters.Failure {
            try await record(OAuthError(.invalidRequest), origin: origin)
            throw failure
        }
    }
}

extension RouteGuard where Group == UserInfoController, Admitted == UserInfo.Answer {
    /// The bearer of an access token that was granted to say who its user is.
    static var bearer: Self {
        Self(.bearer) { group, handler in
            { request, context in
                let origin = context.origin(of: request)
                let token = try await UserInfoController.token(of: request)
                let access = try await group.gate.admit(token, origin: origin) {
                    try await group.userInfo.access(by: $0)
                }
                let answer = try await group.gate.recordingScope(of: access, origin: origin) {
                    try await group.userInfo.answer(openedBy: access)
                }
                return try await handler(request, context, answer)
            }
        }
    }
}
