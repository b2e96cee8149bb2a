import OAuth2

/// What a password set-up link says, sealed: whose password it sets, how that account was when it was made, and who
/// made it.
struct SetUpLink: Hashable {
    /// Who made a link, and what of theirs has to be as it was for the link to count.
    struct Maker: Hashable {
        let actor: AdminActor
        /// When everything of the person ended last, or the client's ``Client/adminEpoch``.
        let standing: Timestamp
    }

    let subject: Subject
    let passwordSetAt: Timestamp
    /// Whatever ends all of a user's sessions ends their links: disabling and enabling the user brings none back.
    let endedAt: Timestamp
    /// `nil` in a link that an earlier version made.
    let maker: Maker?

    init(for account: Account, by maker: Maker) {
        subject = account.subject
        passwordSetAt = account.passwordChangedAt
        endedAt = account.everythingEndedAt ?? Account.noEnd
        self.maker = maker
    }

    /// - Returns: `nil` for what no link says.
    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let subject = members["sub"]?.string,
            let passwordSetAt = members["password_set_at"]?.integer, let endedAt = members["ended_at"]?.integer
        else { return nil }
        self.subject = Subject(rawValue: subject)
        self.passwordSetAt = Timestamp(milliseconds: passwordSetAt)
        self.endedAt = Timestamp(milliseconds: endedAt)
        guard let by = members["by"] else {
            maker = nil
            return
        }
        guard let actor = by.string.flatMap(AdminActor.init(_:)), let standing = members["by_standing"]?.integer else {
            return nil
        }
        maker = Maker(actor: actor, standing: Timestamp(milliseconds: standing))
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("sub", subject.rawValue)
        object.add("password_set_at", passwordSetAt.milliseconds)
        object.add("ended_at", endedAt.milliseconds)
        if let maker {
            object.add("by", maker.actor.description)
            object.add("by_standing", maker.standing.milliseconds)
        }
        return object.finish()
    }

    /// Whether it sets the password of the account as that is now.
    func fits(_ account: Account) -> Bool {
        account.passwordChangedAt == passwordSetAt && account.everythingEndedAt ?? Account.noEnd == endedAt
    }
}
