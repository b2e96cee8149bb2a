import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Where a website sends a visitor whom it does not know, or not well enough, and how they get back to the page that
/// they wanted (contract §6, §4.6).
struct SignInWay: Sendable {
    /// The parameter that says which page was wanted.
    static let wanted = "redirect"
    /// What says to the page that a session is there and not good enough, where its cookies do not.
    static let stepUp = HiddenField(name: "fresh", value: "1")
    /// The parameter that says how strong the sign-in has to be: any of its values. Not `acr`, which apps of the VA
    /// write into the page's address (docs/va-sign-in.md).
    static let wantedStrength = "wanted_acr"

    let clients: Reloadable<ClientDirectory>
    let origins: OriginReader
    let random: RandomSource

    struct Destination {
        let location: String
        /// What the website's cookie has to hold when the visitor comes back; `nil` without a hand-off.
        let state: String?
        /// Whether who signs in there is not signed in at the website for it: no portal hands them back.
        var isDeadEnd = false

        /// A redirect there.
        /// - Parameter status: 302 where a proxy passes it on, 303 otherwise.
        func response(_ status: HTTPResponse.Status) -> Response {
            var response = Response.seeOther(location)
            response.status = status
            if let state { HandOffCookie.set(state, in: &response.headers) }
            return response
        }
    }

    /// - Parameters:
    ///   - wanted: the page's path as it came; one that the website does not list is left out.
    ///   - isStepUp: whether a session is there and not good enough, so that it must not come back as it is.
    ///   - acrValues: how strong the sign-in has to be: as one of these. A step-up without any wants a newer sign-in.
    func destination(
        from request: Request, wanted: [UInt8]?, isStepUp: Bool, acrValues: [String] = []
    ) -> Destination {
        let own = origins.own(of: request)
        let configured = origins.configured
        let directory = clients.current
        let home = directory.defaultWebsite
        let website = directory.websites[own]?.first ?? home
        let path: String? = wanted.flatMap { wanted in
            guard let website, case .accepted(let path) = website.returnPaths.decide(wanted) else { return nil }
            return path.serialized
        }
        // Elsewhere a session that is opened by the sign-in page is of no use.
        let isApart = own != configured.issuer && (configured.areApart || !configured.all.contains(own))
        if isApart, let website, let home, home.isPortal, home.opens(website) {
            let state = random.text(16)
            var handOff = "\(HandOffs.path)?client_id=\(PercentEncoding.encode(website.id.rawValue))&state=\(state)"
            if let path { handOff += "&redirect=\(PercentEncoding.encode(path))" }
            // Whoever is not signed in here may be well enough there.
            let location =
                isStepUp ? Self.signIn(andThen: handOff, isStepUp: true, acrValues: acrValues) : handOff
            return Destination(location: configured.issuer.description + location, state: state)
        }
        // The page sees a session of its own host.
        let page = Self.signIn(
            andThen: path, isStepUp: isStepUp && (isApart || acrValues.isEmpty), acrValues: acrValues)
        return Destination(
            location: (isApart ? configured.issuer : own).description + page, state: nil,
            isDeadEnd: isApart && website.map { $0.needsPortal(besides: configured.issuer) } ?? false)
    }

    /// The page's address.
    private static func signIn(andThen path: String?, isStepUp: Bool, acrValues: [String]) -> String {
        let parameters = [
            path.map { "\(wanted)=\(PercentEncoding.encode($0))" },
            isStepUp ? "\(stepUp.name)=\(stepUp.value)" : nil,
            acrValues.isEmpty
                ? nil : "\(wantedStrength)=\(PercentEncoding.encode(acrValues.joined(separator: " ")))",
        ].compactMap(\.self)
        return parameters.isEmpty ? SignInPath.page : "\(SignInPath.page)?\(parameters.joined(separator: "&"))"
    }

    /// Whether somebody looks at the page that a proxy asks for: a script has no use for a sign-in page.
    static func isPage(_ headers: HTTPFields) -> Bool {
        for name in [HTTPField.Name.xForwardedMethod, .xOriginalMethod] {
            if let method = headers.value(of: name), method != "GET", method != "HEAD" { return false }
        }
        if headers.contains(.secFetchMode) || headers.contains(.secFetchDest) {
            return FetchMetadata.isDocumentNavigation(headers)
        }
        return headers.values(of: .accept).contains { field in
            field.split(separator: ",").contains { HeaderText.mediaType(String($0)) == "text/html" }
        }
    }
}

extension HTTPField.Name {
    static let xForwardedMethod = literal("X-Forwarded-Method")
    static let xOriginalMethod = literal("X-Original-Method")
    static let xForwardedURI = literal("X-Forwarded-Uri")
}
