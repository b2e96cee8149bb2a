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

/// An administrator that was recognised.
package struct Administrator: Hashable, Sendable {
    package let actor: AdminActor
    /// When the proof ends; `nil` when it has no end of its own.
    package let expiresAt: Timestamp?

    package init(actor: AdminActor, expiresAt: Timestamp? = nil) {
        self.actor = actor
        self.expiresAt = expiresAt
    }
}
