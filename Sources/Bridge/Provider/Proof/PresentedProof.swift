/// The `DPoP` header fields of a request, and what the request is, so that the two can be compared (RFC 9449 §4.3).
package struct PresentedProof: Sendable {
    /// The fields' values; more than one is refused.
    package let fields: [String]
    /// Such as `POST`.
    package let method: String
    /// The path as it came, still escaped.
    package let path: String

    package init(fields: [String], method: String, path: String) {
        self.fields = fields
        self.method = method
        self.path = path
    }

    /// A request without such a field.
    package static let none = PresentedProof(fields: [], method: "", path: "")

    package var isPresent: Bool { !fields.isEmpty }
}

/// An access token as it was presented to a resource of ours.
package struct PresentedAccessToken: Sendable {
    /// The authentication scheme it came with.
    package enum Scheme: Hashable, Sendable { case bearer, dpop }

    package let token: Secret<String>
    package let scheme: Scheme
    package let proof: PresentedProof

    package init(token: Secret<String>, scheme: Scheme = .bearer, proof: PresentedProof = .none) {
        self.token = token
        self.scheme = scheme
        self.proof = proof
    }
}
