import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// A refusal of a browser's request that a sign-in here would have prevented.
struct SignInNeeded: Error {
    let error: OAuthError
}

/// Who asks at a path that takes both an app's token and a browser's cookies.
enum AppOrBrowser: Sendable {
    case app(AccessTokenClaims)
    case browser(WebSession)
}

extension RouteGuard where Group == CompatibleSessionController, Admitted == AppOrBrowser {
    /// By the token of an app, or by the cookies of a browser; refusals are a page for people.
    static var appOrBrowser: Self {
        Self(.bearer) { group, handler in
            { request, context in
                try await group.answeringCompatibly(request, context) {
                    try await handler(request, context, try await found(request, context, group))
                }
            }
        }
    }

    /// As ``appOrBrowser``, where only programs come.
    static var appOrBrowserAnswered: Self {
        Self(.bearer) { group, handler in
            { request, context in
                try await CompatibleError.answering {
                    try await handler(request, context, try await found(request, context, group))
                }
            }
        }
    }

    private static func found(
        _ request: Request, _ context: BridgeRequestContext, _ group: Group
    ) async throws -> AppOrBrowser {
        guard request.headers.values(of: .authorization).isEmpty else {
            let claims: AccessTokenClaims
            do {
                claims = try await group.gate.claims(
                    of: request, verifiedBy: group.provider.accessTokens, origin: context.origin(of: request))
            } catch let error as OAuthError where error.code == .invalidToken {
                throw invalidToken
            }
            guard try await !group.browsers.isKeptElsewhere(claims) else {
                try await group.gate.record(
                    RefusalReason.keptElsewhere.rawValue, of: claims, origin: context.origin(of: request))
                throw invalidToken
            }
            return .app(claims)
        }
        guard let session = try await group.browsers.signedIn(by: request)?.session else {
            throw SignInNeeded(error: invalidToken)
        }
        return .browser(session)
    }

    private static var invalidToken: OAuthError {
        OAuthError(.invalidToken, "Access token has expired or is not valid")
    }
}

extension RouteGuard where Group == CompatibleTokenController, Admitted == FormParameters {
    /// A client by what the VA's service takes, with its words for refusals.
    static var compatibleClient: Self {
        Self(.client) { group, handler in
            { request, context in
                try await CompatibleError.answering {
                    try await handler(request, context, try await group.read(request, context))
                }
            }
        }
    }
}
