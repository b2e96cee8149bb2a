import OAuth2

/// Whom an upstream provider named at the end of a trip. Carried by the browser, sealed, while its user is asked
/// whether to sign in as this one.
struct UpstreamAnswer: Hashable, Sendable {
    /// The provider's, in paths.
    let provider: String
    let identity: UpstreamIdentity
    let name: String?
    let email: String?
    /// What the provider calls its session.
    let session: String?
    let authentication: Authentication
    /// What the sign-in is for.
    let errand: String
    /// By which it counts once.
    let mark: String
    let cameAt: Timestamp
    /// ``Account/lastEnd`` by then of who is asked whether to sign in as this one; `nil` where nobody is.
    var after: Timestamp?

    init(
        _ user: UpstreamUser, of provider: String, authentication: Authentication, errand: String, mark: String,
        at now: Timestamp
    ) {
        self.provider = provider
        identity = user.identity
        name = user.name
        email = user.email
        session = user.session
        self.authentication = authentication
        self.errand = errand
        self.mark = mark
        cameAt = now
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let provider = members["provider"]?.string,
            let issuer = members["iss"]?.string, let subject = members["sub"]?.string,
            let errand = members["errand"]?.string, let mark = members["mark"]?.string,
            let cameAt = members["came"]?.integer, let methods = members["amr"]?.array
        else { return nil }
        self.provider = provider
        identity = UpstreamIdentity(issuer: issuer, subject: subject)
        name = members["name"]?.string
        email = members["email"]?.string
        session = members["sid"]?.string
        authentication = Authentication(
            time: members["auth_time"]?.integer.map { Timestamp(milliseconds: $0) }, acr: members["acr"]?.string,
            amr: methods.compactMap(\.string))
        self.errand = errand
        self.mark = mark
        self.cameAt = Timestamp(milliseconds: cameAt)
        after = members["after"]?.integer.map(Timestamp.init(milliseconds:))
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("provider", provider)
        object.add("iss", identity.issuer)
        object.add("sub", identity.subject)
        object.add("name", name)
        object.add("email", email)
        object.add("sid", session)
        if let time = authentication.time { object.add("auth_time", time.milliseconds) }
        object.add("acr", authentication.acr)
        object.add("amr", authentication.amr)
        object.add("errand", errand)
        object.add("mark", mark)
        object.add("came", cameAt.milliseconds)
        if let after { object.add("after", after.milliseconds) }
        return object.finish()
    }
}
