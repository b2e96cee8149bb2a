/// Every field of a client's document that cannot be accepted, and why.
package struct ClientDocumentError: Error, Hashable, CustomStringConvertible {
    /// One thing that is wrong with a document.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        package let field: String
        /// A sentence's second half, such as "is missing".
        package let text: String

        package init(field: String, text: String) {
            self.field = field
            self.text = text
        }

        package var description: String { "\(field) \(text)" }
    }

    /// In the order in which they were found; at least one.
    package let problems: [Problem]

    /// - Returns: `nil` when nothing is wrong.
    package init?(_ problems: [Problem]) {
        guard !problems.isEmpty else { return nil }
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "; ") }
}
