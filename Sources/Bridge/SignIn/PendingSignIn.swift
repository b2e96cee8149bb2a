import OAuth2

/// A sign-in that only lacks its code: carried by the browser, sealed.
struct PendingSignIn: Hashable, Sendable {
    /// What the code completes.
    enum Ground: Hashable, Sendable {
        /// A password that was given a moment ago, and set then: it counts as long as the account has no other, and
        /// nothing has ended all of the user's (``SignInBasis``). `nil` in steps of the version before.
        case password(setAt: Timestamp, after: Timestamp?)
        /// A session, which the code raises to two factors.
        case session(SessionID)
    }

    let subject: Subject
    let ground: Ground

    init(subject: Subject, ground: Ground) {
        self.subject = subject
        self.ground = ground
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let subject = members["sub"]?.string else { return nil }
        let ground: Ground
        if let session = members["raises"]?.string {
            ground = .session(SessionID(rawValue: session))
        } else if let instant = members["password_set_at"]?.integer {
            ground = .password(
                setAt: Timestamp(milliseconds: instant),
                after: members["after"]?.integer.map(Timestamp.init(milliseconds:)))
        } else {
            return nil
        }
        self.init(subject: Subject(rawValue: subject), ground: ground)
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("sub", subject.rawValue)
        switch ground {
        case .password(let instant, let end):
            object.add("password_set_at", instant.milliseconds)
            if let end { object.add("after", end.milliseconds) }
        case .session(let id): object.add("raises", id.rawValue)
        }
        return object.finish()
    }
}
