import OAuth2

/// Who administers. Stands in every event of an action.
package enum AdminActor: Hashable, Sendable, CustomStringConvertible {
    /// A machine, by client credentials with the scope `admin`.
    case client(ClientID)
    /// A person whose account has the role `admin`.
    case account(Subject)
    /// A person at the command line, by his login on that machine.
    case login(String)

    /// `client:demo-admin`, `account:…` or `login:root`: unambiguous in audit events and stores.
    package var description: String {
        switch self {
        case .client(let id): "client:\(id.rawValue)"
        case .account(let subject): "account:\(subject.rawValue)"
        case .login(let name): "login:\(name)"
        }
    }

    /// Reads ``description``.
    package init?(_ text: String) {
        if text.hasPrefix("client:") {
            self = .client(ClientID(rawValue: String(text.dropFirst(7))))
        } else if text.hasPrefix("account:") {
            self = .account(Subject(rawValue: String(text.dropFirst(8))))
        } else if text.hasPrefix("login:") {
            self = .login(String(text.dropFirst(6)))
        } else {
            return nil
        }
    }

    /// What a person reads: the name alone.
    package var name: String {
        switch self {
        case .client(let id): id.rawValue
        case .account(let subject): subject.rawValue
        case .login(let name): name
        }
    }
}

/// An administrator that was recognised by an access token.
package struct Administrator: Hashable, Sendable {
    package let actor: AdminActor
    package let credential: AdminCredential
    /// When the token ends.
    package let expiresAt: Timestamp

    package init(actor: AdminActor, credential: AdminCredential, expiresAt: Timestamp) {
        self.actor = actor
        self.credential = credential
        self.expiresAt = expiresAt
    }
}

/// The access token behind an administrator, as far as it must be known again; never the token itself.
package struct AdminCredential: Hashable, Sendable {
    /// `jti`.
    package let tokenID: TokenID
    package let clientID: ClientID
    /// The app's session; `nil` for a client that acts for itself.
    package let sessionID: SessionID?
    /// When the person signed in; `nil` when that is not known, and for a client that acts for itself.
    package let signedInAt: Timestamp?

    package init(tokenID: TokenID, clientID: ClientID, sessionID: SessionID? = nil, signedInAt: Timestamp? = nil) {
        self.tokenID = tokenID
        self.clientID = clientID
        self.sessionID = sessionID
        self.signedInAt = signedInAt
    }
}
