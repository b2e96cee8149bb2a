/// How an answer is written. The subject is the same in all of them: the key.
public enum AnswerForm: String, Sendable, CaseIterable {
    /// The custom scheme binding of 2012: the key itself in `iss` and `user_id`, and claims in a token of their own.
    case binding2012 = "seed"
    /// OpenID Connect Core §7.
    case core
    /// Self-Issued OpenID Provider v2.
    case v2

    /// A thumbprint as a URI (RFC 9278).
    static let thumbprintURN = "urn:ietf:params:oauth:jwk-thumbprint"

    /// - Parameter subjectTypes: `subject_syntax_types_supported`; `nil` when the website does not speak of it.
    init(asked types: Set<String>, subjectTypes: [String]?) throws(PhoneRefusal) {
        if let subjectTypes, !subjectTypes.contains(where: { $0.hasPrefix(Self.thumbprintURN) }) {
            throw PhoneRefusal(
                .subjectTypeUnsupported, "the website wants another kind of name than a key's thumbprint")
        }
        if types.contains("userinfo") { self = .binding2012 } else { self = subjectTypes == nil ? .core : .v2 }
    }

    /// How a website learns that its visitor declined.
    var declined: String { self == .v2 ? "user_cancelled" : "access_denied" }
}
