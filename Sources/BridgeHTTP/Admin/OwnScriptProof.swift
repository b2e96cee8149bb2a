import Bridge
import HTTPTypes
import Hummingbird

/// Whether a script of the console's own origin sends a request that no form can (contract §8; ADR-0004).
///
/// It then needs no form token, because a script of that origin could read one in a page of the console. A page of any
/// other origin, a sibling domain's too, gets no such request through: a browser asks us before it sends one (Fetch,
/// CORS preflight), and the administration API allows no origin anything. And it would carry that page's `Origin`,
/// which scripts cannot set, or `null` after a redirect across origins. Forms are left to their tokens: what somebody
/// smuggles into a page of ours as mere HTML can send a form, and read nothing.
struct OwnScriptProof: Sendable {
    let publicOrigin: WebOrigin

    private static let methods: Set<HTTPRequest.Method> = [.delete, .patch, .put]

    func holds(for request: Request) -> Bool {
        let site = FetchMetadata.site(request.headers)
        // Byte for byte what a browser makes of our origin: without `Origin` nobody has said who sends it.
        return FetchMetadata.origin(request.headers, own: publicOrigin) == .own
            && (site == nil || site == .sameOrigin) && isBeyondForms(request)
    }

    /// By its type or, without one, by its method. A body without a type is refused where it is read.
    private func isBeyondForms(_ request: Request) -> Bool {
        guard let type = BodyReader.mediaType(of: request) else { return Self.methods.contains(request.method) }
        return AdminRequestReader.mediaTypes.contains(type)
    }
}
