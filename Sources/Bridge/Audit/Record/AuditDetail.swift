import OAuth2

/// Names of those members of ``AuditEvent/detail`` that more than one place writes or reads.
package enum AuditDetail {
    /// Who administered: ``AdminActor/description``. With it the event's reason is an administrator's own words, which
    /// no website is told.
    package static let actor = "actor"
    /// When that person had signed in.
    package static let signedInAt = "signed_in_at"
    /// The names of the fields that a change changed; never their values.
    package static let fields = "fields"
    /// The device that the event is about.
    package static let deviceSecretID = "device_secret_id"
    /// The client that asked for what the event tells, where the event's own clients are others, or need not be it.
    static let byClient = "by_client"
    /// The session in which it was asked for.
    static let bySession = "by_sid"
    /// The client that a refused token was given to, where another presented it.
    static let issuedTo = "issued_to"
    /// The client that a refused request names as its sender, where that could have authenticated and has not.
    static let namedClient = "named_client"
    /// How many login tokens an end of everything of a user has revoked.
    package static let loginTokens = "login_tokens"
    /// What became of a second factor.
    package static let change = "change"
    /// How many recovery codes a user has after one was used.
    package static let recoveryCodesLeft = "recovery_codes_left"
    /// Which code an event is about: ``publicName(of:_:)``.
    static let codeID = "code_id"
    /// Which sign-in across devices: ``publicName(of:_:)``.
    static let signInID = "sign_in_id"
    /// The session that a code opened.
    static let opened = "opened"
    /// Who made the link that a password was, or was not, set by: ``AdminActor/description``.
    private static let linkBy = "link_by"
    /// The session that the new one hangs under, as the event came about.
    static let parent = "parent"

    /// Says of events that they are about one thing whose own name opens something, and opens nothing itself.
    /// - Parameters:
    ///   - kind: names of one kind are no names of another.
    ///   - secret: what nobody can guess, or its digest: no code that a person reads off a screen.
    static func publicName(of kind: String, _ secret: String) -> String {
        SHA256Hash(of: "drawbridge audit \(kind) \(secret)").base64URLOfHalf
    }

    /// What the event of a password that was set by a link says of who made it; nothing where that is not known.
    static func facts(ofLinkMadeBy maker: AdminActor?) -> [String: String] {
        maker.map { [linkBy: $0.description] } ?? [:]
    }

    /// What the event of a link that was refused says of who made it; `nil` where that is not known.
    static func linkMade(by maker: AdminActor?) -> String? {
        guard let maker else { return nil }
        var object = JSONObjectWriter()
        object.add(linkBy, maker.description)
        return object.finishedText()
    }

    /// What an event says of a client that is none of its own and asked for what it tells.
    static func by(_ client: ClientID) -> String {
        var object = JSONObjectWriter()
        object.add(byClient, client.rawValue)
        return object.finishedText()
    }

    /// What the event of an opening says of the session above the new one; `nil` where none is.
    static func opening(under parent: SessionID?) -> String? {
        guard let parent else { return nil }
        var object = JSONObjectWriter()
        object.add(Self.parent, parent.rawValue)
        return object.finishedText()
    }
}

extension AuditEvent {
    /// Who administered, or did something about themselves; `nil` where the event names no actor.
    package var actor: String? { fact(AuditDetail.actor) }

    /// A member of ``detail`` that is a text.
    func fact(_ name: String) -> String? { detail.flatMap { JSONValue.parse($0.utf8)?.object?[name]?.string } }
}
