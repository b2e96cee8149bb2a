/// An error that an OAuth or API endpoint may answer with (RFC 6749 §5.2).
///
/// Printing it shows the code alone: what is private stays in ``detail``, for log and audit.
package struct OAuthError: Error, Sendable, CustomStringConvertible {
    /// What is wrong with one field of a document.
    package struct Problem: Hashable, Sendable {
        package let field: String
        /// Such as "scope must be text", under the rule of ``OAuthError/publicDescription``.
        package let text: String

        package init(field: String, text: String) {
            self.field = field
            self.text = text
        }
    }

    package let code: ErrorCode
    /// Sent to the client. Fixed words, names, numbers of ours and words of our enums; never a value of the request
    /// (ADR-0083).
    package let publicDescription: String?
    /// For the audit log, a stable word such as `expired` or `subject_disabled`.
    package let detail: String?
    /// Seconds for `Retry-After`.
    package let retryAfter: Int?
    /// `WWW-Authenticate` for a sign-in that does not suffice (RFC 9470 §3).
    package let challenge: String?
    /// What is wrong, by field, so that none has to be found by the words of ``publicDescription``, which may have no room
    /// for all that is wrong with a document, or quote values; not sent.
    package let problems: [Problem]?

    /// - Parameters:
    ///   - publicDescription: what is expected, in fixed words. It may hold a parameter's name: one that we declare, or
    ///     one of the request by way of ``unknown(_:as:known:)``. What else it is pieced together of is listed in
    ///     `ErrorTexts.swift`, which a test holds against the sources.
    ///   - detail: a stable reason for log and audit, not sent.
    package init(
        _ code: ErrorCode, _ publicDescription: String? = nil, detail: String? = nil, retryAfter: Int? = nil,
        challenge: String? = nil, problems: [Problem]? = nil
    ) {
        self.code = code
        self.publicDescription = publicDescription
        self.detail = detail
        self.retryAfter = retryAfter
        self.challenge = challenge
        self.problems = problems
    }

    /// - Parameters:
    ///   - publicDescription: of what is expected of a field, whose name it begins with.
    ///   - field: the parameter or member of a document that is wrong.
    package init(_ code: ErrorCode, _ publicDescription: String, field: String) {
        self.init(code, publicDescription, problems: [Problem(field: field, text: publicDescription)])
    }

    package var description: String { "OAuthError(\(code.rawValue))" }
}
