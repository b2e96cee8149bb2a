import OAuth2

/// An issue request that was found well-formed and allowed: what the token will say, but for its id and instant.
struct LoginTokenTerms: Sendable {
    let website: Client
    let lifetime: Duration
    /// The accepted path, to be sealed.
    let target: ReturnPath?
    let binding: LoginTokenBinding
    /// Whether a browser goes on from a sign-in here, by a portal or by an app's approval, and no app gets the link.
    let isHandOff: Bool

    /// Checks a request against the app's rights and the website's allow-list; a pure function.
    /// - Parameter codeKey: makes the code, where the website wants one.
    /// - Throws: `OAuthError` by contract §3.
    init(
        _ request: LoginTokenIssueRequest, app: Client, clients: ClientDirectory, defaultLifetime: Duration,
        address: NetworkAddress?, codeKey: String
    ) throws(OAuthError) {
        try Self.requireRight(of: app)
        // Contract §3: first what the app may not, then what is malformed, then what is wrong with the website.
        try Self.requireReach(of: request.targetClientID, app: app, clients: clients)
        lifetime = try Self.lifetime(request.ttl, default: defaultLifetime)
        let challenge = try Self.challenge(request)
        let network = try Self.network(request.bind, address: address)
        website = try Self.website(request.targetClientID, app: app, clients: clients)
        isHandOff = false
        target = try Self.target(request.redirect, website: website)
        binding = LoginTokenBinding(
            challenge: challenge, network: network, typedCodeKey: website.redeemMode == .code ? codeKey : nil)
    }

    /// - Throws: `unauthorized_client` for an app that issues nothing, whatever it asks for.
    static func requireRight(of app: Client) throws(OAuthError) {
        guard app.canIssueLoginTokens else {
            throw OAuthError(
                .unauthorizedClient, "this client may not issue login tokens", detail: .clientWithoutRight)
        }
    }

    /// - Throws: `OAuthError` by contract §3.
    init(
        handOff request: LoginTokenIssueRequest, portal: Client, clients: ClientDirectory, _ state: HandOffState?
    ) throws(OAuthError) {
        website = try Self.website(request.targetClientID, app: portal, clients: clients)
        isHandOff = true
        lifetime = LoginTokenSettings.maximumLifetime
        target = try Self.target(request.redirect, website: website)
        binding = LoginTokenBinding(handOff: state?.digest)
    }

    /// For a browser that an app's user has let in from another device.
    /// - Throws: `OAuthError` by contract §3.
    init(
        handOff request: LoginTokenIssueRequest, approvedIn app: Client, clients: ClientDirectory,
        _ state: HandOffState?
    ) throws(OAuthError) {
        try Self.requireRight(of: app)
        try self.init(handOff: request, portal: app, clients: clients, state)
    }

    /// - Throws: `unauthorized_client` alone, for a registered website that the app may not open.
    private static func requireReach(
        of requested: String?, app: Client, clients: ClientDirectory
    ) throws(OAuthError) {
        guard let id = websiteID(requested, clients), clients[id]?.kind == .web, !app.mayReach.contains(id) else {
            return
        }
        throw OAuthError(.unauthorizedClient, "this client may not open that website", detail: .targetNotReachable)
    }

    /// The website that is asked for, registered or not; where none is named, the default one.
    static func websiteID(_ requested: String?, _ clients: ClientDirectory) -> ClientID? {
        requested.map(ClientID.init(rawValue:)) ?? clients.defaultTarget
    }

    private static func website(
        _ requested: String?, app: Client, clients: ClientDirectory
    ) throws(OAuthError) -> Client {
        guard let id = websiteID(requested, clients) else {
            throw OAuthError(.invalidRequest, "client_id is missing and no default website is configured")
        }
        guard let website = clients[id], website.kind == .web else {
            throw OAuthError(.invalidTarget, "no registered website has this name", detail: .unknownTarget)
        }
        try requireReach(of: requested, app: app, clients: clients)
        // A relying party takes the token with its own request as well, and needs no path for that (contract §4.5).
        guard website.returnPaths.defaultPath != nil || !website.redirectURIs.isEmpty else {
            throw OAuthError(.invalidTarget, "that website has no return paths", detail: .targetWithoutPaths)
        }
        return website
    }

    private static func lifetime(_ ttl: Int?, default: Duration) throws(OAuthError) -> Duration {
        guard let ttl else { return `default` }
        let longest = LoginTokenSettings.maximumLifetime.roundedUpSeconds
        guard (1...longest).contains(ttl) else {
            throw OAuthError(.invalidRequest, "ttl must be between 1 and \(longest) seconds")
        }
        return .seconds(ttl)
    }

    private static func target(_ redirect: [UInt8]?, website: Client) throws(OAuthError) -> ReturnPath? {
        guard let redirect, !redirect.isEmpty else { return nil }
        switch website.returnPaths.decide(redirect) {
        case .accepted(let path): return path
        case .refused(let refusal):
            throw OAuthError(.invalidRedirect, explanation(of: refusal), detail: refusal.rawValue)
        }
    }

    /// For the app's developer, who here, unlike a visitor, is told what is wrong (contract §3).
    private static func explanation(of refusal: ReturnPathRefusal) -> String {
        switch refusal {
        case .malformed:
            "redirect must be a path that begins with one slash, such as /contacts?page=2, in the form that browsers "
                + "keep it in; no address with a host"
        case .tooLong: "redirect must not be longer than \(ReturnPath.maximumLength) bytes"
        case .notListed, .repeated, .differsFromSealed:
            "redirect is not allowed for that website; its return_paths say what is"
        }
    }

    private static func challenge(_ request: LoginTokenIssueRequest) throws(OAuthError) -> CodeChallenge? {
        switch (request.codeChallenge, request.codeChallengeMethod) {
        case (nil, nil): return nil
        case (nil, .some):
            throw OAuthError(.invalidRequest, "code_challenge_method needs code_challenge")
        case (.some, nil):
            throw OAuthError(.invalidRequest, "code_challenge needs code_challenge_method=S256")
        case (.some(let challenge), .some(let method)):
            guard method == "S256" else {
                throw OAuthError(.invalidRequest, "code_challenge_method must be S256")
            }
            guard let challenge = CodeChallenge(challenge) else {
                throw OAuthError(.invalidRequest, "code_challenge must be 43 characters of base64url")
            }
            return challenge
        }
    }

    private static func network(
        _ bind: String?, address: NetworkAddress?
    ) throws(OAuthError) -> LoginTokenBinding.Network {
        switch bind {
        case nil, "none": return .none
        case "network", "exact":
            guard let address else {
                throw OAuthError(.invalidRequest, "bind needs a client address, and this request shows none")
            }
            return bind == "exact" ? .exact(address) : .network(address.bindingNetwork)
        default:
            throw OAuthError(.invalidRequest, "bind must be none, network or exact")
        }
    }
}
