/// One row of a table of cases. A row that cannot be read fails alone: the others are still tried.
package struct TableRow<Case: Decodable & Sendable>: Decodable, Sendable {
    /// What it says; `nil` where there is a problem.
    package let content: Case?
    /// Why it cannot be read.
    package let problem: String?

    package init(from decoder: any Decoder) {
        do {
            content = try Case(from: decoder)
            problem = nil
        } catch {
            content = nil
            problem = "\(error)"
        }
    }
}
