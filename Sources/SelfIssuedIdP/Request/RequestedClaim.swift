/// One thing that a website wants to know.
public struct RequestedClaim: Sendable, Equatable {
    /// The name that OpenID Connect gives it.
    public let name: String
    /// Whether it is asked for as needed. Where the website itself asks it is ticked then, and may be taken off all the
    /// same.
    public let isWanted: Bool

    /// More than a person should be asked at once.
    private static let maximumCount = 32

    /// What the scopes ask for (OpenID Connect Core §5.4).
    private static let scopes = [
        "profile": [
            "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
            "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
        ],
        "email": ["email", "email_verified"], "phone": ["phone_number", "phone_number_verified"],
        "address": ["address"],
    ]

    /// Everything asked, once each, in the order of names.
    ///
    /// Two ways of asking that read `null` differently: the drafts of 2012 (`userinfo.claims`), where only
    /// `{"optional": true}` may be left out, and Core §5.5, where only `{"essential": true}` may not. A scope alone asks
    /// for nothing that is needed.
    static func read(from request: RequestParameters, scope: Set<String>) throws(PhoneRefusal) -> [RequestedClaim] {
        var wanted: [String: Bool] = [:]
        for name in scope.flatMap({ scopes[$0] ?? [] }) { wanted[name] = false }
        if let claims = try request.object("userinfo")?["claims"]?.members {
            // Who lists what it wants to know means the list, and not everything besides that a scope stands for.
            wanted = [:]
            for (name, how) in claims { wanted[name] = how["optional"]?.isTrue != true }
        }
        if let claims = try request.object("claims") {
            for (name, how) in ["id_token", "userinfo"].flatMap({ Array(claims[$0]?.members ?? [:]) }) {
                wanted[name] = wanted[name] == true || how["essential"]?.isTrue == true
            }
        }
        let asked = wanted.filter { !Profile.reserved.contains($0.key) }
        guard asked.count <= maximumCount else {
            throw PhoneRefusal(.requestMalformed, "it asks for more than \(maximumCount) things at once")
        }
        return asked.map { RequestedClaim(name: $0.key, isWanted: $0.value) }.sorted { $0.name < $1.name }
    }
}
