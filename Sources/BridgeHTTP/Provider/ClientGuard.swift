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
                    let form = try await BodyReader.form(of: request, upTo: bodyLimit)
                    let basic = try BasicCredentials.read(request.headers)
                    return try await handler(request, context, ClientRequest(form: form, basic: basic, origin: origin))
                }
            }
        }
    }
}

extension RouteGuard where Group == UserInfoController, Admitted == UserInfo.Answer {
    /// The bearer of an access token that was granted to say who its user is.
    static var bearer: Self {
        Self(.bearer) { group, handler in
            { request, context in
                let token = try await UserInfoController.token(of: request)
                let answer = try await group.gate.admit(token, origin: context.origin(of: request)) {
                    try await group.userInfo.answer(to: $0)
                }
                return try await handler(request, context, answer)
            }
        }
    }
}
