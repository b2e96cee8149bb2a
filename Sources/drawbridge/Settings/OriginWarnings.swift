import Bridge
import BridgeHTTP

/// Origins that share a host and should not: a website's cookies and scripts reach whatever else is there
/// (docs/operations.md, Origins).
struct OriginWarnings {
    /// One sentence for each.
    let sentences: [String]

    init(in settings: DrawbridgeSettings) {
        let origins = settings.origins
        // Websites of the database are not seen here, as in all that is said about the settings.
        let websites = settings.clients.filter { $0.kind == .web && $0.returnPaths.defaultPath != nil }
        func names(at origin: WebOrigin) -> String? {
            let names = websites.filter { ($0.publicOrigin ?? origins.website).host == origin.host }.map(\.id.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
        var sentences: [String] = []
        if let names = names(at: origins.admin) {
            sentences.append(
                "admin.origin: the console is at \(origins.admin), and so are the pages of \(names). A script that gets "
                    + "into one of them could do there what an administrator may: give the console a host of its own.")
        }
        let signsIn = settings.clients.contains { !$0.redirectURIs.isEmpty }
        if signsIn, let names = names(at: origins.issuer) {
            sentences.append(
                "issuer: the sign-in and consent pages are at \(origins.issuer), and so are the pages of \(names). A "
                    + "script that gets into one of them could agree in a user's name: give them a host of their own.")
        }
        self.sentences = sentences
    }
}
