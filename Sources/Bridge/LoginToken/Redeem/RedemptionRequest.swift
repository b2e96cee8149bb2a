/// A request to redeem, parsed.
package struct RedemptionRequest: Sendable {
    /// The token as the request carries it.
    package enum PresentedToken: Sendable {
        case none
        case one(Secret<String>)
        /// Given twice, or by two carriers: no reading of it is safe.
        case conflicting
    }

    /// The requested page as the request names it; whether it may be opened is decided later.
    package enum RedirectParameter: Hashable, Sendable {
        /// Absent or empty.
        case absent
        /// The bytes that one form-url-decoding gave.
        case bytes([UInt8])
        /// Given more than once: none of them counts, and the first is what is recorded.
        case repeated(first: [UInt8])
    }

    package let token: PresentedToken
    package let redirect: RedirectParameter
    package let codeVerifier: String?
    /// What was typed into the page.
    package let typedCode: String?
    package let visit: Visit
    /// The user chose to continue as the token's user. Believed only from a form of ours.
    package let confirmsSwitch: Bool
    /// The browser's session cookie.
    package let sessionSecret: OpaqueSecret?
    /// The sessions that its cookies of the profile `tokens` name, alive or not, until their absolute end.
    package let tokenSessions: [WebSession]
    /// What an attempt that could not be confirmed left with the browser.
    package let retry: String?
    /// What the website put into this browser's cookie before it sent it to the portal.
    package let handOffState: HandOffState?
    package let origin: RequestOrigin

    package init(
        token: PresentedToken, redirect: RedirectParameter = .absent, codeVerifier: String? = nil,
        typedCode: String? = nil, visit: Visit, confirmsSwitch: Bool = false, sessionSecret: OpaqueSecret? = nil,
        tokenSessions: [WebSession] = [],
        retry: String? = nil, handOffState: HandOffState? = nil, origin: RequestOrigin
    ) {
        self.token = token
        self.redirect = redirect
        self.codeVerifier = codeVerifier
        self.typedCode = typedCode
        self.visit = visit
        self.confirmsSwitch = confirmsSwitch
        self.sessionSecret = sessionSecret
        self.tokenSessions = tokenSessions
        self.retry = retry
        self.handOffState = handOffState
        self.origin = origin
    }
}

/// A website's server that redeems a login token itself (contract §4.4).
package struct BackChannelRedemption: Sendable {
    package let token: Secret<String>
    /// The authenticated client.
    package let website: Client
    package let codeVerifier: String?
    /// What the user typed at the website.
    package let typedCode: String?
    package let origin: RequestOrigin

    package init(
        token: Secret<String>, website: Client, codeVerifier: String?, typedCode: String? = nil, origin: RequestOrigin
    ) {
        self.token = token
        self.website = website
        self.codeVerifier = codeVerifier
        self.typedCode = typedCode
        self.origin = origin
    }

    /// Why the token's own website redeems nothing: it keeps no secret, so anyone could come in its name.
    static let publicClient = RefusalReason.publicClient

    /// Whether the token's own website comes without having authenticated. No other client is told so: to each of them
    /// the token is not valid, and no more (contract §4.4).
    func lacksAuthentication(for claims: LoginTokenClaims) -> Bool {
        website.isPublic && website.id == claims.audience
    }
}

/// What the confirm page says of a code.
package enum CodePrompt: Sendable {
    case none
    /// The code has to be typed.
    case asked
    /// To be typed once more: the last one was another.
    case wrong
    /// To be typed once more: what was typed cannot be one, and was not an attempt.
    case incomplete
}

/// What a redemption came to (contract §4.3).
package enum RedemptionOutcome: Sendable {
    /// Go to `location`; `opened` when this request opened the session.
    case landed(location: String, opened: OpenedSession?)
    /// Show the confirm page.
    case confirm(submitsItself: Bool, code: CodePrompt = .none)
    /// Another user is signed in here: ask.
    case switchAccount(current: Subject, proposed: Subject)
    /// The one refusal page.
    case refused
    /// Too many refusals from this network.
    case limited(retryAfter: Duration)
}
