import OAuth2

/// A client as files, the database and the admin API write it: the names of contract §14 (RFC 7591 where it has them).
///
/// Decoding is strict: a field that is unknown or malformed is an error that names it. Only fields that this version
/// enforces are known, so that no setting is accepted that does nothing.
package struct ClientDocument: Sendable, Codable, Hashable {
    package let client: Client
    private let showsSecretDigest: Bool

    /// How long a session of a client may live, and be left alone, in seconds: up to 90 days.
    private static let sessionLifetimes = 60...7_776_000

    /// - Parameter showsSecretDigest: stores and settings files need it; an API's answer leaves it out.
    package init(_ client: Client, showsSecretDigest: Bool = true) {
        self.client = client
        self.showsSecretDigest = showsSecretDigest
    }

    enum Field: String, CodingKey, CaseIterable {
        case clientID = "client_id"
        case clientName = "client_name"
        case clientType = "client_type"
        case canIssueLoginTokens = "can_issue_login_tokens"
        case mayReach = "may_reach"
        case publicOrigin = "public_origin"
        case returnPaths = "return_paths"
        case defaultReturnPath = "default_return_path"
        case allowAnyPath = "allow_any_path"
        case redeem
        case onReplay = "on_replay"
        case sessionLifetime = "session_lifetime"
        case sessionIdle = "session_idle"
        case secretDigest = "client_secret_digest"
        case authenticationMethod = "token_endpoint_auth_method"
        case redirectURIs = "redirect_uris"
        case postLogoutRedirectURIs = "post_logout_redirect_uris"
        case grantTypes = "grant_types"
        case scope
        case requirePKCE = "require_pkce"
        case allowLocalhost = "allow_localhost"
        case dpopBoundAccessTokens = "dpop_bound_access_tokens"
        case firstParty = "first_party"
        case nativeSSOEnabled = "native_sso_enabled"
        case deviceSecretWithoutScope = "device_secret_without_scope"
        case shareWith = "share_with"
        case delivery
        case cookieProfile = "cookie_profile"
        case cookiePrefix = "cookie_prefix"
        case cookieDomain = "cookie_domain"
        case accessTokenLifetime = "access_token_lifetime"
        case accessTokenAlgorithm = "access_token_signed_response_alg"
        case minimumACR = "min_acr"
        case maximumAuthenticationAge = "max_auth_age"
        case backchannelLogoutURI = "backchannel_logout_uri"
        case initiateLoginURI = "initiate_login_uri"
        case landing
        case redemptionPage = "redemption_page"
        case portal
        case webhookURI = "webhook_uri"
        case webhookSecretFile = "webhook_secret_file"
        case idTokenAlgorithm = "id_token_signed_response_alg"
        case userInfoAlgorithm = "userinfo_signed_response_alg"
        case requirePushedRequests = "require_pushed_authorization_requests"
        case blockWebViews = "block_webviews"
        case rejectReusedChallenge = "reject_reused_challenge"
        case mayIntrospect = "may_introspect"
        case acceptsEndpointAudience = "accepts_endpoint_audience"
        case keys = "jwks"
        case keysURI = "jwks_uri"
        case logoURI = "logo_uri"
        case policyURI = "policy_uri"
        case themeName = "theme_name"
        case themeLogo = "theme_logo"
        case themeAccent = "theme_accent"
        case themeAccentDark = "theme_accent_dark"
    }

    /// - Throws: ``ClientDocumentError`` with every fault that there is.
    package init(from decoder: any Decoder) throws { try self.init(from: decoder, isStored: false) }

    /// - Parameter isStored: takes what an earlier version has taken and stored.
    fileprivate init(from decoder: any Decoder, isStored: Bool) throws {
        let names = try decoder.container(keyedBy: AnyField.self).allKeys.map(\.stringValue).sorted()
        var fields = StrictFields(container: try decoder.container(keyedBy: Field.self), isStored: isStored)
        for name in names where Field(rawValue: name) == nil { fields.note(named: name, Self.remark(onUnknown: name)) }
        // Its own rule has a bound, which is the one to be told.
        let id = fields.possiblyEmptyText(.clientID) ?? ""
        if fields.areSound(.clientID) {
            if !Self.isClientID(id) {
                fields.note(.clientID, "must be 1 to 128 letters, digits and . _ ~ : / -")
            } else if !isStored, Self.isDotSegment(id) {
                fields.note(.clientID, "must not be . or .., which no address can end in")
            }
        }
        // No client is public by omission (RFC 8252 §8.4).
        if !fields.contains(.clientType) { fields.note(.clientType, "is missing: native, web or service") }
        let kind: Client.Kind = fields.word(.clientType) ?? .native
        let lifetime = fields.seconds(.sessionLifetime, in: Self.sessionLifetimes) ?? Client.defaultSessionLifetime
        let idle = fields.seconds(.sessionIdle, in: Self.sessionLifetimes) ?? min(Client.defaultSessionIdle, lifetime)
        if fields.areSound(.sessionLifetime, .sessionIdle), idle > lifetime {
            fields.note(.sessionIdle, "must not be longer than session_lifetime")
        }
        let name = fields.text(.clientName)
        // It is shown on the consent page and in terminals.
        if let name, !isStored, !name.readsAsWritten {
            fields.note(.clientName, "must be one line, without control characters and marks that turn its direction")
        }
        var client = Client(
            id: ClientID(rawValue: id), name: name ?? id, kind: kind,
            canIssueLoginTokens: fields.flag(.canIssueLoginTokens) ?? false,
            mayReach: Set((fields.list(.mayReach) ?? []).map(ClientID.init(rawValue:))),
            publicOrigin: Self.publicOrigin(&fields),
            returnPaths: Self.returnPaths(&fields),
            redeemMode: fields.word(.redeem) ?? .direct,
            replayResponse: fields.word(.onReplay) ?? .endSession,
            sessionLifetime: lifetime, sessionIdle: idle)
        if client.canIssueLoginTokens, client.kind == .web {
            fields.note(.canIssueLoginTokens, "belongs to an app; this client is a website")
        }
        Self.readProviderFields(&fields, into: &client)
        if !isStored, CookieNamePrefix.bindsToHost(client.cookiePrefix) {
            fields.note(.cookiePrefix, "must not begin with __Host- or __Http-: browsers refuse such cookies")
        }
        if !isStored {
            Self.checkCookieDomain(of: client, &fields)
            Self.checkMinimumACR(of: client, &fields)
            Self.checkKeys(of: client, &fields)
        }
        client.theme = Self.readTheme(&fields, of: kind)
        if let error = ClientDocumentError(fields.problems) { throw error }
        self.init(client)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(client.id.rawValue, forKey: .clientID)
        try fields.encode(client.name, forKey: .clientName)
        try fields.encode(client.kind.rawValue, forKey: .clientType)
        try fields.encode(client.canIssueLoginTokens, forKey: .canIssueLoginTokens)
        try fields.encode(client.mayReach.map(\.rawValue).sorted(), forKey: .mayReach)
        try fields.encodeIfPresent(client.publicOrigin?.description, forKey: .publicOrigin)
        if let defaultPath = client.returnPaths.defaultPath {
            try fields.encode(client.returnPaths.entries.map(\.text), forKey: .returnPaths)
            try fields.encode(defaultPath.serialized, forKey: .defaultReturnPath)
            if client.returnPaths.entries.contains(.anyPath) { try fields.encode(true, forKey: .allowAnyPath) }
        }
        try fields.encode(client.redeemMode.rawValue, forKey: .redeem)
        try fields.encode(client.replayResponse.rawValue, forKey: .onReplay)
        try fields.encode(client.sessionLifetime.inMilliseconds / 1000, forKey: .sessionLifetime)
        try fields.encode(client.sessionIdle.inMilliseconds / 1000, forKey: .sessionIdle)
        if showsSecretDigest { try fields.encodeIfPresent(client.secretDigest, forKey: .secretDigest) }
        try Self.writeProviderFields(of: client, into: &fields)
        try Self.writeTheme(client.theme, into: &fields)
    }

    private static func remark(onUnknown name: String) -> String {
        // A secret in clear would be shown, copied and logged with the rest of the document.
        name == "client_secret"
            ? "is never written down; `drawbridge clients secret` makes one, and the line client_secret_digest for it"
            : "is not a field of a client"
    }

    private static func isClientID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isUnreserved($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    }

    /// Browsers drop a cookie whose domain does not cover the host that sets it (RFC 6265 §5.3): each login link would
    /// be used up, and no user signed in.
    private static func checkCookieDomain(of client: Client, _ fields: inout StrictFields<Field>) {
        guard let domain = client.cookieDomain, fields.areSound(.cookieDomain, .cookieProfile) else { return }
        guard !CookieDomain.withoutLeadingDot(domain).hasPrefix(".") else {
            fields.note(.cookieDomain, "must be a domain such as .example.com, with one leading dot at most")
            return
        }
        guard client.cookieProfile == .tokens, let origin = client.publicOrigin else { return }
        if !client.setsCookies(at: origin.host) {
            fields.note(.cookieDomain, "must be the host of public_origin or a domain above it: \(origin.host)")
        }
    }

    /// Another value no challenge can name and no proxy can ask for, so that the website is shut without a word why
    /// (RFC 9470 §3, RFC 6749 appendix A).
    private static func checkMinimumACR(of client: Client, _ fields: inout StrictFields<Field>) {
        guard let acr = client.minimumACR else { return }
        if !(1...128).contains(acr.utf8.count) || !acr.utf8.allSatisfy(ASCII.isNQCharacter) {
            fields.note(
                .minimumACR,
                "must be 1 to 128 printable ASCII characters, without spaces, double quotes and backslashes")
        }
    }

    /// With no key that verifies here the client could never authenticate, without a word why. One of an unknown kind
    /// among others is passed over (RFC 7517 §5).
    private static func checkKeys(of client: Client, _ fields: inout StrictFields<Field>) {
        guard client.authenticationMethod == .privateKeyJWT, let keys = client.keys,
            fields.areSound(.authenticationMethod, .keys)
        else { return }
        if VerificationKey.all(inSet: keys).isEmpty {
            let names = VerificationKey.announcedAlgorithms.map(\.rawValue).joined(separator: ", ")
            fields.note(.keys, "must hold a public key for one of \(names)")
        }
    }

    /// What a user agent takes out of a path before it sends it, percent-encoded or not (RFC 3986 §5.2.4, WHATWG URL):
    /// at the client's own address it would ask for another one.
    private static func isDotSegment(_ id: String) -> Bool { id == "." || id == ".." }

    private static func publicOrigin(_ fields: inout StrictFields<Field>) -> WebOrigin? {
        guard let text = fields.text(.publicOrigin) else { return nil }
        let read = fields.isStored ? WebOrigin(kept: text) : WebOrigin(text)
        guard let origin = read, origin.isSecure || origin.isLoopback else {
            let form = "an origin such as https://www.example.com: https, lower case, no path"
            fields.note(.publicOrigin, "must be \(WebOrigin.respelling(of: text) ?? form)")
            return nil
        }
        return origin
    }

    private static func returnPaths(_ fields: inout StrictFields<Field>) -> ReturnPathPolicy {
        let entries = fields.list(.returnPaths)
        let defaultPath = fields.text(.defaultReturnPath)
        let allowsAnyPath = fields.flag(.allowAnyPath) ?? false
        guard fields.areSound(.returnPaths, .defaultReturnPath, .allowAnyPath) else { return .none }
        // Whatever is on the list.
        if let defaultPath, case .failure = ReturnPath.parse(Array(defaultPath.utf8)) {
            fields.note(.defaultReturnPath, "must be a path that begins with /, such as /contacts")
        }
        guard let entries else {
            if defaultPath != nil { fields.note(.returnPaths, "is missing") }
            return .none
        }
        for entry in entries where ReturnPathEntry(entry) == nil {
            fields.note(
                .returnPaths, "holds \(entry.debugDescription), which is not a path entry: \(remedy(for: entry))")
        }
        guard let defaultPath else {
            fields.note(.defaultReturnPath, "is missing")
            return .none
        }
        do throws(ReturnPathPolicyError) {
            return try ReturnPathPolicy(entries: entries, defaultPath: defaultPath, allowsAnyPath: allowsAnyPath)
        } catch {
            switch error {
            case .malformedEntry: break  // Noted above, with the others of its kind.
            case .anyPathNotAllowed: fields.note(.returnPaths, "holds /*, which needs allow_any_path: true")
            case .defaultNotListed where !fields.areSound(.defaultReturnPath): break  // The same.
            case .defaultNotListed: fields.note(.defaultReturnPath, "is not allowed by return_paths")
            }
            return .none
        }
    }
}

// What to write in place of an invalid entry.
extension ClientDocument {
    private static func remedy(for entry: String) -> String {
        if entry.prefix(while: { $0 != "/" }).contains(where: { $0 == "." || $0 == ":" }) {
            return "paths only, with the slash in front and without an origin"
        }
        // Most forget the slash in front, or write what other programs call everything below a folder. A `*` alone does
        // not suggest that every path was meant, and neither does `/**`.
        let start = entry.prefix { $0 != "*" }
        let stars = entry.dropFirst(start.count)
        let endsInStars = start.hasSuffix("/") && !stars.isEmpty && stars.allSatisfy { $0 == "*" }
        let rooted = start.hasPrefix("/") ? start : "/\(start)"
        let meant = ReturnPathEntry(endsInStars ? "\(rooted)*" : "/\(entry)")
        if let meant, meant != .anyPath, !entry.isEmpty { return "write \(meant.text)" }
        return "a path such as /contacts, or one with a single /* at its end; no query, no fragment"
    }
}

/// Every field of a client's document that cannot be accepted, and why.
package struct ClientDocumentError: Error, Hashable, CustomStringConvertible {
    /// One thing that is wrong with a document.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        package let field: String
        /// A sentence's second half, such as "is missing".
        package let text: String

        package init(field: String, text: String) {
            self.field = field
            self.text = text
        }

        package var description: String { "\(field) \(text)" }
    }

    /// In the order in which they were found; at least one.
    package let problems: [Problem]

    /// - Returns: `nil` when nothing is wrong.
    package init?(_ problems: [Problem]) {
        guard !problems.isEmpty else { return nil }
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// A client's document as a store has it: no rule that came later makes it unreadable.
package struct StoredClientDocument: Sendable, Decodable {
    package let client: Client

    package init(from decoder: any Decoder) throws {
        client = try ClientDocument(from: decoder, isStored: true).client
    }
}
