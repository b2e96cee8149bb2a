/// What bearers are judged by, found at once.
package protocol BearerStore: Sendable {
    /// Whether each look-up is a round trip to a server, so that several made together take the time of one.
    var isRemote: Bool { get }

    /// What ``UserStore/record(of:)``, ``GrantStore/appSession(id:)``, ``SessionStore/session(id:)`` and
    /// ``GrantStore/isRevoked(_:)`` would say, each of its key.
    func bearerRecords(_ keys: BearerKeys) async throws -> BearerRecords
}

/// Whose records are looked for; `nil` for none of a kind.
package struct BearerKeys: Hashable, Sendable {
    package var user: Subject?
    package var appSession: SessionID?
    package var webSession: SessionID?
    /// The token that may have been revoked.
    package var token: TokenID?

    package init(
        user: Subject? = nil, appSession: SessionID? = nil, webSession: SessionID? = nil, token: TokenID? = nil
    ) {
        self.user = user
        self.appSession = appSession
        self.webSession = webSession
        self.token = token
    }
}

/// What there is of them. Of what nobody looked for there is nothing.
package struct BearerRecords: Hashable, Sendable {
    package let user: SubjectRecord?
    package let appSession: AppSession?
    package let webSession: WebSession?
    package let isRevoked: Bool

    package init(user: SubjectRecord?, appSession: AppSession?, webSession: WebSession?, isRevoked: Bool) {
        self.user = user
        self.appSession = appSession
        self.webSession = webSession
        self.isRevoked = isRevoked
    }
}
