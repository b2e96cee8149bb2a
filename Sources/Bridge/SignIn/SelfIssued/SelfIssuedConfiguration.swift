import OAuth2

/// What phones are told of this website, and what is taken from them (contract §10).
package struct SelfIssuedConfiguration: Sendable {
    /// What becomes of a key without an account.
    package enum UnknownSubject: String, Sendable, CaseIterable {
        /// Its holder chooses: a new account, or one that they have.
        case ask
        /// A new account, without a question.
        case create
        case reject
    }

    /// Whose answers are taken from another device than the one that asked.
    package enum CrossDevice: String, Sendable, CaseIterable {
        case linkedOnly = "linked-only"
        case off
        case any
    }

    package static let startPath = "/self-issued/start"
    package static let openPath = "/self-issued/open"
    package static let postPath = "/self-issued/post"
    package static let requestPath = "/self-issued/request.json"
    package static let returnPath = "/self-issued/callback"
    package static let linksPath = "/api/self-issued/links"
    /// Those of the request file of 2012. `picture`, and whatever else is asked for, is not kept.
    package static let usualClaims = ["email", "name", "picture"]

    /// An `https` URL of ours that ends with a slash.
    package let clientID: String
    /// Where it all is.
    package let origin: WebOrigin
    package let requestPath: String
    package let returnPath: String
    package let siteName: String
    package var contacts: [String] = []
    package var logoURL: String?
    package var policyURL: String?
    /// What users are asked to tell of themselves.
    package var claims = Self.usualClaims
    package var forms = Set(SelfIssuedForm.allCases)
    package var unknownSubject = UnknownSubject.ask
    package var crossDevice = CrossDevice.linkedOnly
    package var lifetime = Duration.seconds(300)
    /// Where the app is to be had.
    package var storeURLs: [String] = []
    /// Whether an app claims this website's links, so that the phone's app can be opened past all others.
    package var isLinkClaimed = false
    /// Apps that may link a key to the account of who is signed in to them (ADR-0044).
    package var linkingApps: Set<ClientID> = []

    package init(
        clientID: String, origin: WebOrigin, requestPath: String = requestPath, returnPath: String = returnPath,
        siteName: String
    ) {
        self.clientID = clientID
        self.origin = origin
        self.requestPath = requestPath
        self.returnPath = returnPath
        self.siteName = siteName
    }

    /// Whether pages offer it. At a plain http origin the way would end at the phone, which fetches the request file
    /// over https alone (docs/phone.md). The pages of this sign-in can still be called directly.
    package var isOffered: Bool { origin.isSecure }
    package var requestURI: String { origin.description + requestPath }
    package var returnURI: String { origin.description + returnPath }
    /// Where an app brings a key to be linked: the audience of the key's proof, and of nothing else.
    package var linksURI: String { origin.description + Self.linksPath }

    /// The request file, which phones fetch: the members of 2012, and today's as well.
    package var requestFile: [UInt8] {
        var claims = JSONObjectWriter()
        for name in self.claims { claims.addNull(name) }
        var userInfo = JSONObjectWriter()
        userInfo.add("claims", json: claims)
        var file = JSONObjectWriter()
        file.add("response_type", "token id_token userinfo")
        file.add("client_id", clientID)
        file.add("scope", "openid profile")
        file.add("redirect_uri", returnURI)
        file.add("response_uri", origin.description + Self.postPath)
        file.add("userinfo", json: userInfo)
        file.add("registration", json: registration)
        return file.finish()
    }

    private var registration: JSONObjectWriter {
        var associated = JSONObjectWriter()
        associated.add("type", "client_association")
        associated.add("contacts", contacts.isEmpty ? nil : contacts.joined(separator: " "))
        associated.add("application_name", siteName)
        associated.add("logo_url", logoURL)
        associated.add("policy_url", policyURL)
        associated.add("redirect_uris", returnURI)
        var registration = JSONObjectWriter()
        registration.add("claims", json: associated)
        registration.add("client_name", siteName)
        registration.add("logo_uri", logoURL)
        registration.add("policy_uri", policyURL)
        registration.add("redirect_uris", [returnURI])
        addFormats(to: &registration)
        return registration
    }

    private func addFormats(to object: inout JSONObjectWriter) {
        object.add("subject_syntax_types_supported", [SelfIssuedToken.syntaxType])
        object.add("id_token_signed_response_alg", SignatureAlgorithm.es256.rawValue)
    }
}

/// How the link to the phone's app is written.
package enum SelfIssuedLinkForm: String, Sendable, CaseIterable {
    /// As ``binding2012``.
    case auto
    /// By reference to the request file, as in 2012.
    case binding2012 = "seed"
    /// OpenID Connect Core §7.3.
    case core
    /// SIOPv2.
    case v2
}

extension SelfIssuedConfiguration {
    /// The claimed `https` link, which opens the app where it is installed, and our page where it is not.
    /// - Parameter acrossDevices: whether the answer is posted to us, since it is another browser that waits.
    package func openLink(state: String, nonce: String, acrossDevices: Bool = false) -> String {
        let link = origin.description + Self.openPath + "?" + reference(state: state, nonce: nonce)
        return acrossDevices ? link + "&response_mode=direct_post" : link
    }

    /// Whether the link with a scheme of its own is offered.
    ///
    /// Any app may take that scheme, and would learn what it takes to answer. With a key of its own it signs no user
    /// in, but linked to the user's account that key would be the user's. So linking keeps to the claimed link, where
    /// one is.
    package func offersScheme(isLinking: Bool) -> Bool { !isLinking || !isLinkClaimed }

    /// What a nonce of ``schemeNonce(for:)`` begins with. No claimed link's does: a dot is not in base64url.
    private static let schemeMark = "any-app."

    /// What the link with a scheme of its own has for a nonce: where an app claims our links another than theirs, which
    /// does not lead back to it. So an answer says whether its request was one that any app may have taken. A nonce
    /// that is the scheme's already stays: the page that a browser falls back to offers the same link once more.
    func schemeNonce(for nonce: String) -> String {
        guard isLinkClaimed, !nonce.hasPrefix(Self.schemeMark) else { return nonce }
        return Self.schemeMark + SHA256Hash(of: "drawbridge link of a scheme \(nonce)").base64URLOfHalf
    }

    /// What an answer must say to be taken.
    /// - Parameters:
    ///   - nonce: the claimed link's; `nil` leaves it unjudged, to explain a token.
    ///   - isLinking: whether a key is to be linked, which is never asked for by a link that any app may take.
    func terms(for nonce: String?, isLinking: Bool = false, at now: Timestamp) -> SelfIssuedTerms {
        let nonces = nonce.map { isLinking ? [$0] : [$0, schemeNonce(for: $0)] }
        return SelfIssuedTerms(audiences: [clientID, returnURI], forms: forms, nonces: nonces, now: now)
    }

    /// The link with a scheme of its own.
    /// - Parameters:
    ///   - nonce: the claimed link's.
    ///   - acrossDevices: whether the answer is posted to us; in the form of 2012 alone.
    package func schemeLink(
        _ form: SelfIssuedLinkForm, state: String, nonce: String, acrossDevices: Bool = false
    ) -> String {
        let nonce = schemeNonce(for: nonce)
        return switch form {
        case .auto, .binding2012:
            "openid://authz?" + reference(state: state, nonce: nonce)
                + (acrossDevices ? "&response_mode=direct_post" : "")
        case .core:
            "openid://?"
                + Self.query([
                    ("response_type", "id_token"), ("client_id", returnURI), ("scope", "openid profile"),
                    ("state", state), ("nonce", nonce), ("registration", metadata),
                ])
        case .v2:
            "siopv2://?"
                + Self.query([
                    ("scope", "openid"), ("response_type", "id_token"),
                    ("id_token_type", "subject_signed_id_token"), ("client_id", returnURI),
                    ("redirect_uri", returnURI), ("state", state), ("nonce", nonce), ("client_metadata", metadata),
                ])
        }
    }

    /// The link with a scheme of its own as browsers on Android take it, which open our page where no app does.
    ///
    /// Whichever app takes it gets that page's address too: the claimed link's nonce is not in there either (ADR-0063).
    /// - Parameters: as of ``schemeLink(_:state:nonce:acrossDevices:)``.
    package func intentLink(
        _ form: SelfIssuedLinkForm, state: String, nonce: String, acrossDevices: Bool = false
    ) -> String {
        let link = schemeLink(form, state: state, nonce: nonce, acrossDevices: acrossDevices)
        let fallback = openLink(state: state, nonce: schemeNonce(for: nonce), acrossDevices: acrossDevices)
        let parts = link.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return link }
        return "intent:\(parts[1])#Intent;scheme=\(parts[0]);"
            + "S.browser_fallback_url=\(PercentEncoding.encode(fallback));end"
    }

    private var metadata: String {
        var object = JSONObjectWriter()
        object.add("client_name", siteName)
        addFormats(to: &object)
        return object.finishedText()
    }

    private func reference(state: String, nonce: String) -> String {
        Self.query([("request_uri", requestURI), ("state", state), ("nonce", nonce)])
    }

    private static func query(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
