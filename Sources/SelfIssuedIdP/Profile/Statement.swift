/// What a third party says of the phone's owner, signed by it: an aggregated claim (OpenID Connect Core §5.6.2).
///
/// It is handed on whole, or not at all: a signature is over everything in it. The phone cannot check it, and need
/// not: it is for the website to believe its issuer or not.
public struct Statement: Sendable {
    /// The signed text.
    let text: String
    /// Who says it.
    public let issuer: String
    /// What it says of the owner.
    public let claims: [String: JSONValue]
    /// It names the owner by an identifier of the issuer's, by which websites can find out that two of their visitors
    /// are one person.
    public let namesOwner: Bool
    private let expires: Int64?

    /// - Returns: `nil` when it is not signed, names no issuer, or says nothing.
    init?(_ text: String) {
        guard text.utf8.count <= 8192, let jws = CompactJWS(text),
            jws.header["alg"]?.string.map({ $0 != "none" }) == true,
            let issuer = jws.claims["iss"]?.string, let members = jws.claims.members
        else { return nil }
        let claims = members.filter { !Profile.reserved.contains($0.key) }
        guard !claims.isEmpty else { return nil }
        self.text = text
        self.issuer = issuer
        self.claims = claims
        namesOwner = members["sub"] != nil
        switch members["exp"] {
        case nil: expires = nil
        case .integer(let instant): expires = instant
        default: return nil
        }
    }

    func isCurrent(at now: Int64) -> Bool { expires.map { now < $0 } ?? true }
}
