import OAuth2

/// The pushed request that a journey began with. Its row is gone soon after it expires, and may be gone before its user is
/// done signing in.
struct PushedRequestReference: Hashable, Sendable {
    let digest: String
    let expiresAt: Timestamp

    var pushedAt: Timestamp { expiresAt - PushedRequests.lifetime }
    /// Until when the sign-in that began with it may be answered, however often its pages were shown again.
    var answerableUntil: Timestamp { expiresAt + Authorizations.journeyLifetime }
}

/// The parameters that a request stands for: its own, or those that it pushed ahead.
struct FoundParameters: Sendable {
    let pushed: AuthorizationRequestReader.Pushed
    /// ``AuthorizationParameter/serialize(_:)`` of them; empty where what was pushed cannot be used.
    let text: String
    let reference: PushedRequestReference?
}

/// A request on its way through the pages: carried by the browser, sealed.
struct AuthorizationJourney: Hashable, Sendable {
    /// ``AuthorizationParameter/serialize(_:)`` of the request; for a pushed one, what was pushed.
    let parameters: String
    /// The pushed request that is used up by the answer.
    let pushed: PushedRequestReference?
    /// When the browser was first sent to the sign-in page.
    let demandedAt: Timestamp?
    /// The browser that was sent there. Another one's sign-in counts for nothing here.
    let browserDigest: String
    /// Whom the consent page addressed.
    let asked: Subject?
    /// What it asked for; `nil` from a node of an earlier version, too.
    let shown: Scope?

    func isOf(_ browser: OpaqueSecret) -> Bool { ConstantTime.equals(browserDigest.utf8, browser.digest.utf8) }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("parameters", parameters)
        object.add("pushed", pushed?.digest)
        object.add("pushed_until", json: pushed.map { String($0.expiresAt.milliseconds) } ?? "null")
        object.add("demanded_at", json: demandedAt.map { String($0.milliseconds) } ?? "null")
        object.add("browser", browserDigest)
        object.add("asked", asked?.rawValue)
        if let shown { object.add("shown", shown.description) }
        return object.finish()
    }

    init(
        parameters: String, pushed: PushedRequestReference?, demandedAt: Timestamp?, browserDigest: String,
        asked: Subject?, shown: Scope? = nil
    ) {
        self.parameters = parameters
        self.pushed = pushed
        self.demandedAt = demandedAt
        self.browserDigest = browserDigest
        self.asked = asked
        self.shown = shown
    }

    /// - Parameter now: from when a pushed request counts whose expiry a node of an earlier version did not write along.
    init?(_ text: [UInt8], at now: Timestamp) {
        guard let members = JSONValue.parse(text)?.object, let parameters = members["parameters"]?.string,
            let browser = members["browser"]?.string
        else { return nil }
        let expiry = members["pushed_until"]?.integer.map(Timestamp.init(milliseconds:))
        self.init(
            parameters: parameters,
            pushed: members["pushed"]?.string.map { PushedRequestReference(digest: $0, expiresAt: expiry ?? now) },
            demandedAt: members["demanded_at"]?.integer.map(Timestamp.init(milliseconds:)), browserDigest: browser,
            asked: members["asked"]?.string.map(Subject.init(rawValue:)),
            shown: members["shown"]?.string.flatMap { Scope($0) })
    }
}
