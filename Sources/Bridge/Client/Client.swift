/// A registered app or website (contract §14). Its wire and file form is ``ClientDocument``.
package struct Client: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A public client on a device.
        case native
        /// A website.
        case web
        /// A machine.
        case service
    }

    /// When a browser's visit redeems by itself.
    package enum RedeemMode: String, Sendable, CaseIterable {
        /// A person's own navigation does.
        case direct
        /// Only a click on the page does.
        case confirm
    }

    /// What a second use of a token does to the session that the first opened.
    package enum ReplayResponse: String, Sendable, CaseIterable {
        case endSession = "end_session"
        /// Record it only.
        case alert
    }

    package let id: ClientID
    package var name: String
    package var kind: Kind
    package var canIssueLoginTokens: Bool
    /// The websites that an app may open.
    package var mayReach: Set<ClientID>
    /// Scheme, host and port of the website, without a path; `nil` means our own origin.
    package var publicOrigin: WebOrigin?
    /// Where a redemption may land, and where it lands by default.
    package var returnPaths: ReturnPathPolicy
    package var redeemMode: RedeemMode
    package var replayResponse: ReplayResponse
    /// A web session's absolute life, 1 minute to 90 days.
    package var sessionLifetime: Duration
    /// How long a web session may lie unused, at most ``sessionLifetime``.
    package var sessionIdle: Duration

    package static let defaultSessionLifetime = Duration.seconds(12 * 3600)
    package static let defaultSessionIdle = Duration.seconds(30 * 60)

    package init(
        id: ClientID, name: String, kind: Kind, canIssueLoginTokens: Bool = false, mayReach: Set<ClientID> = [],
        publicOrigin: WebOrigin? = nil, returnPaths: ReturnPathPolicy = .none, redeemMode: RedeemMode = .direct,
        replayResponse: ReplayResponse = .endSession, sessionLifetime: Duration = Client.defaultSessionLifetime,
        sessionIdle: Duration = Client.defaultSessionIdle
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.canIssueLoginTokens = canIssueLoginTokens
        self.mayReach = mayReach
        self.publicOrigin = publicOrigin
        self.returnPaths = returnPaths
        self.redeemMode = redeemMode
        self.replayResponse = replayResponse
        self.sessionLifetime = sessionLifetime
        self.sessionIdle = sessionIdle
    }
}
