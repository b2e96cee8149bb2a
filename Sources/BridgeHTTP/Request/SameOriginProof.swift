import Bridge
import HTTPTypes
import Hummingbird

/// Whether a state-changing request comes from a page of ours (contract §6).
struct SameOriginProof: Sendable {
    let publicOrigin: WebOrigin

    /// `Sec-Fetch-Site` decides where the browser sends it: our own `no-referrer` pages post `Origin: null`, and a
    /// sandboxed frame that does so too says `cross-site`. Without it `Origin` must be ours, or absent as old browsers
    /// leave it; such a request carries no `Lax` cookie when another site made it.
    func holds(for request: Request) -> Bool {
        let origin = FetchMetadata.origin(request.headers, own: publicOrigin)
        switch FetchMetadata.site(request.headers) {
        case .sameOrigin?, .some(.none):
            return origin != .foreign || request.headers.values(of: .origin) == ["null"]
        case nil: return origin != .foreign
        case .sameSite?, .crossSite?, .other?: return false
        }
    }
}
