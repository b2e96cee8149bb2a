/// What the provider tells about the person (OpenID Connect Core §5.1); only what the app may know.
public struct Person: Sendable, Equatable, Decodable {
    /// Unique at the provider, and never given to somebody else. The only one to know people by.
    public let subject: String
    /// To show.
    public let name: String?
    /// The name they sign in with.
    public let username: String?
    /// May change, and may not be verified.
    public let email: String?

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case name
        case username = "preferred_username"
        case email
    }
}
