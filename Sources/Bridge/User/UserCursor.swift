import OAuth2

/// Where a page of users ended: its last user, and what they were listed by then. It stays the same place when that
/// user is renamed or gone by the time of the next page.
package struct UserCursor: Hashable, Sendable {
    /// What an order goes by.
    package enum Key: Hashable, Sendable {
        case text(String)
        case number(Int64)
    }

    package let key: Key
    package let subject: Subject

    /// A cursor after this user, in this order.
    package init(after user: UserOverview, by order: UserOrder) {
        subject = user.subject
        key =
            switch order {
            case .name: .text(user.displayName ?? user.username ?? user.subject.rawValue)
            case .username: .text(user.username ?? "")
            case .email: .text(user.email ?? "")
            case .issuer: .text(user.issuer)
            // The newest first.
            case .firstSeen: .number(-user.firstSeenAt.milliseconds)
            case .state: .number(user.disabledAt == nil ? 1 : 0)
            }
    }

    /// What pages get and give back; opaque to them.
    package var text: String {
        var object = JSONObjectWriter()
        object.add("subject", subject.rawValue)
        switch key {
        case .text(let text): object.add("text", text)
        case .number(let number): object.add("number", number)
        }
        return Base64URL.encode(object.finish())
    }

    /// Reads ``text``.
    /// - Returns: `nil` for anything else, and for a place in another order.
    package init?(text: String, by order: UserOrder) {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(text), let object = JSONValue.parse(bytes)?.object,
            let subject = object["subject"]?.string
        else { return nil }
        self.subject = Subject(rawValue: subject)
        switch order {
        case .name, .username, .email, .issuer:
            guard let text = object["text"]?.string, !text.utf8.contains(0), !subject.utf8.contains(0) else {
                return nil
            }
            key = .text(text)
        case .firstSeen, .state:
            guard let number = object["number"]?.integer, !subject.utf8.contains(0) else { return nil }
            key = .number(number)
        }
    }
}
