import OAuth2

/// Who administers. Stands in every event of an action.
package enum AdminActor: Hashable, Sendable, CustomStringConvertible {
    /// A machine, by client credentials with the scope `admin`.
    case client(ClientID)
    /// A person whose account has the role `admin`.
    case account(Subject)
    /// A person at the command line, by their login on that machine.
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

    /// Whether it may neither disable nor demote the last account that administers, or no one might be left to let
    /// others in. A machine goes on without any account, and can give the role back.
    package var sparesLastAdministrator: Bool {
        switch self {
        case .client: false
        case .account, .login: true
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

/// The access token that an administrator uses, as far as it must be known again; never the token itself.
package struct AdminCredential: Hashable, Sendable {
    /// `jti`.
    package let tokenID: TokenID
    package let clientID: ClientID
    /// The app's session; `nil` for a client that acts for itself.
    package let sessionID: SessionID?
    /// When the person signed in; `nil` when that is not known, and for a client that acts for itself.
    package let signedInAt: Timestamp?
    /// Which state of its client it was given out in (ADR-0074).
    package let epoch: Timestamp

    /// That of a client of which nothing is known that would have begun another.
    package static let firstEpoch = Timestamp(milliseconds: 0)

    package init(
        tokenID: TokenID, clientID: ClientID, sessionID: SessionID? = nil, signedInAt: Timestamp? = nil,
        epoch: Timestamp
    ) {
        self.tokenID = tokenID
        self.clientID = clientID
        self.sessionID = sessionID
        self.signedInAt = signedInAt
        self.epoch = epoch
    }
}

/// Who does something, and the reason that they give: the facts that every event of an administrator's action carries.
package struct AdminAction: Sendable {
    package let actor: AdminActor
    /// The administrator's own words; `nil` when none were given. ``StrayedSecret/redacted`` where there is a secret in
    /// them, such as one that leaked and is to be ended: whoever reads the log would have it (contract §8).
    package let reason: String?
    /// `nil` for the command line.
    package let origin: RequestOrigin?
    package let at: Timestamp
    /// When the person signed in; `nil` for a program, and where it is not known.
    package let signedInAt: Timestamp?

    package static let defaultReason = "administrator"
    /// Characters of a reason, counted as `maxLength` of the API's description counts them; a field of a form with the
    /// same limit never takes more.
    package static let reasonLimit = 500
    /// Bytes of the longest reason in UTF-8.
    package static let longestReason = 4 * reasonLimit

    package init(
        actor: AdminActor, reason: String? = nil, origin: RequestOrigin?, at: Timestamp, signedInAt: Timestamp? = nil
    ) {
        self.actor = actor
        self.reason = reason.map { StrayedSecret.redacting($0) }
        self.origin = origin
        self.at = at
        self.signedInAt = signedInAt
    }

    /// An event of this action.
    /// - Parameters:
    ///   - facts: further members of its `detail`, by name; the actor is always one, and so is their sign-in.
    ///   - fields: the names of what a change changed; `nil` for what is not a change of fields.
    package func event(
        _ type: AuditEventType, subject: Subject? = nil, clientID: ClientID? = nil, targetClientID: ClientID? = nil,
        sessionID: SessionID? = nil, facts: [String: String] = [:], fields: [String]? = nil
    ) -> AuditEvent {
        var detail = JSONObjectWriter()
        var own = [AuditDetail.actor: actor.description]
        own[AuditDetail.signedInAt] = signedInAt?.rfc3339
        let members = facts.merging(own, uniquingKeysWith: { $1 })
        for name in (members.keys + (fields == nil ? [] : [AuditDetail.fields])).sorted() {
            if let value = members[name] { detail.add(name, value) } else if let fields { detail.add(name, fields) }
        }
        return AuditEvent(
            at: at, type: type, outcome: .success, reason: reason ?? Self.defaultReason, subject: subject,
            clientID: clientID, targetClientID: targetClientID, sessionID: sessionID, origin: origin,
            detail: detail.finishedText())
    }

    /// A reason as the audit log has it, from what a program or a form sent: what is to end must not live on because of
    /// a line break in it.
    /// - Returns: `nil` for one that is too long.
    package static func reason(from text: String) -> String? {
        text.unicodeScalars.count <= reasonLimit ? text.inOneLine : nil
    }

    /// Whether a text may be a reason as it stands: one line that is not too long.
    package static func isReason(_ text: String) -> Bool {
        text.unicodeScalars.count <= reasonLimit && text.isLine(upTo: longestReason)
    }
}

extension AuditEvent {
    /// The reason of what users change themselves while they are signed in.
    package static let byTheUser = "by the user"
    /// That of a password which its user has set by an administrator's link.
    static let bySetUpLink = "by a set-up link"

    /// The event for what users change about themselves: an administrator's event with the user as its actor.
    package static func byUser(
        _ type: AuditEventType, _ subject: Subject, sessionID: SessionID?, reason: String = byTheUser,
        facts: [String: String] = [:], origin: RequestOrigin, at now: Timestamp
    ) -> AuditEvent {
        AdminAction(actor: .account(subject), reason: reason, origin: origin, at: now)
            .event(type, subject: subject, sessionID: sessionID, facts: facts)
    }
}
