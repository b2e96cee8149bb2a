/// One thing wrong with the trusted issuers' settings, for the operator.
package struct TrustedIssuerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The issuer concerned; `nil` when it is about all of them.
    package var issuer: String?
    /// The settings key below the issuer, such as `audiences`.
    package let field: String
    /// What is wrong and what would be right; never a secret.
    package let text: String

    package init(issuer: String? = nil, field: String, text: String) {
        self.issuer = issuer
        self.field = field
        self.text = text
    }

    package var description: String {
        "trusted_issuers\(issuer.map { "[\($0)]" } ?? "").\(field): \(text)"
    }
}

/// Everything wrong with the trusted issuers' settings, found in one go.
package struct TrustedIssuerProblems: Error, Sendable, CustomStringConvertible {
    package let problems: [TrustedIssuerError]

    package init(_ problems: [TrustedIssuerError]) { self.problems = problems }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
