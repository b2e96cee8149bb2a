/// Why an authorization response is not taken.
public enum AnswerFlaw: String, Sendable, Equatable {
    /// It came to another address than the one that was asked for (RFC 8252 §8.10).
    case otherAddress = "it came to another address than the one asked for"
    /// It cannot be read, or says something twice.
    case malformed = "it cannot be read"
    /// `state` is missing or not the one that was sent (RFC 8252 §8.9).
    case foreignState = "it does not belong to this sign-in"
    /// `iss` is missing or names another provider (RFC 9207 §2.4).
    case otherIssuer = "it comes from another provider"
    /// It holds neither a code nor an error, or both.
    case noCode = "it has no code"
}
