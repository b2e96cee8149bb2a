import OAuth2

/// A request on its way through the pages: carried by the browser, sealed.
struct AuthorizationJourney: Hashable, Sendable {
    /// ``AuthorizationParameter/serialize(_:)`` of the request; of a pushed one, what was pushed.
    let parameters: String
    /// The pushed request that is used up by the answer.
    let pushedDigest: String?
    /// When the browser was first sent to the sign-in page.
    let demandedAt: Timestamp?
    /// The browser that was sent there. Another one's sign-in counts for nothing here.
    let browserDigest: String
    /// Whom the consent page addressed.
    let asked: Subject?

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("parameters", parameters)
        object.add("pushed", pushedDigest)
        object.add("demanded_at", json: demandedAt.map { String($0.milliseconds) } ?? "null")
        object.add("browser", browserDigest)
        object.add("asked", asked?.rawValue)
        return object.finish()
    }

    init(
        parameters: String, pushedDigest: String?, demandedAt: Timestamp?, browserDigest: String, asked: Subject?
    ) {
        self.parameters = parameters
        self.pushedDigest = pushedDigest
        self.demandedAt = demandedAt
        self.browserDigest = browserDigest
        self.asked = asked
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let parameters = members["parameters"]?.string,
            let browser = members["browser"]?.string
        else { return nil }
        self.init(
            parameters: parameters, pushedDigest: members["pushed"]?.string,
            demandedAt: members["demanded_at"]?.integer.map(Timestamp.init(milliseconds:)), browserDigest: browser,
            asked: members["asked"]?.string.map(Subject.init(rawValue:)))
    }
}
