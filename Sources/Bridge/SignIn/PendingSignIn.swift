import OAuth2

/// A sign-in that only lacks its code: carried by the browser, sealed.
struct PendingSignIn: Hashable, Sendable {
    let subject: Subject
    /// The session that the code raises to two factors; `nil` when the password was given a moment ago.
    let raises: SessionID?

    init(subject: Subject, raises: SessionID? = nil) {
        self.subject = subject
        self.raises = raises
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let subject = members["sub"]?.string else { return nil }
        self.init(
            subject: Subject(rawValue: subject), raises: members["raises"]?.string.map(SessionID.init(rawValue:)))
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("sub", subject.rawValue)
        object.add("raises", raises?.rawValue)
        return object.finish()
    }
}
