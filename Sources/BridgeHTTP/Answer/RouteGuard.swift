import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Makes a handler that anybody may call of one that needs somebody: whom it does not find, it answers itself.
///
/// A wing's guards are in its file `…Guard.swift`, or with its gate, beside what they find: that can be made nowhere
/// else.
struct RouteGuard<Group: Sendable, Admitted: Sendable>: Sendable {
    typealias Guarded = @Sendable (Request, BridgeRequestContext, Admitted) async throws -> Response

    let access: RouteAccess
    /// Whether it keeps web views out where a client wants that.
    let refusesWebViews: Bool
    /// Called once for a route, so that a request pays for no more than one call.
    let protect: @Sendable (Group, @escaping Guarded) -> Handler

    init(
        _ access: RouteAccess, refusesWebViews: Bool = false,
        _ protect: @escaping @Sendable (Group, @escaping Guarded) -> Handler
    ) {
        self.access = access
        self.refusesWebViews = refusesWebViews
        self.protect = protect
    }
}

/// A bearer whose access token was verified.
struct AdmittedBearer: Sendable {
    let identity: BearerIdentity
    /// Where the request came from.
    let origin: RequestOrigin

    fileprivate init(identity: BearerIdentity, origin: RequestOrigin) {
        self.identity = identity
        self.origin = origin
    }
}

/// Routes for apps.
protocol BearerGroup: RouteGroup {
    var bearers: BearerGate { get }
}

extension RouteGuard where Group: BearerGroup, Admitted == AdmittedBearer {
    /// A bearer that a trusted issuer, or the provider, vouches for.
    static var bearer: Self {
        Self(.bearer) { group, handler in
            let bearers = group.bearers
            return { request, context in
                let origin = context.origin(of: request)
                let identity = try await bearers.identity(of: request, origin: origin)
                return try await handler(request, context, AdmittedBearer(identity: identity, origin: origin))
            }
        }
    }
}
