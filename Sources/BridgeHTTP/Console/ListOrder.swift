import OAuth2

/// By what a list of the console is ordered, one case for each heading; the word is part of the list's address.
protocol ListOrder: CaseIterable, Hashable, RawRepresentable<String>, Sendable {
    static var section: ConsoleSection { get }
    /// What its heading is called among the texts of the section.
    var title: String { get }
    /// Whether the highest comes first: of times the newest, of counts the largest.
    var isDescending: Bool { get }
}

extension ListOrder {
    var title: String { rawValue }
    var isDescending: Bool { false }

    /// What the address asks for; `nil` where it asks for nothing.
    static func asked(in query: FormParameters) throws(OAuthError) -> Self? {
        guard let word = query["sort"] else { return nil }
        guard let order = Self(rawValue: word) else {
            let known = allCases.map(\.rawValue).joined(separator: ", ")
            throw OAuthError(.invalidRequest, "sort must be one of \(known)")
        }
        return order
    }

    /// The headings, as the template takes them.
    /// - Parameter filter: what else the address says, with an `&` at its end.
    static func columns(by order: Self?, keeping filter: String = "", _ words: ConsoleWords) -> [[String: any Sendable]]
    {
        allCases.map { item in
            var column: [String: any Sendable] = [
                "title": words("console_\(section.rawValue)", item.title),
                "path": "\(section.path)?\(filter)sort=\(item.rawValue)",
            ]
            if item == order { column["direction"] = item.isDescending ? "descending" : "ascending" }
            return column
        }
    }

    /// In this order; what is equal by it is told apart by an id.
    func sort<Item>(_ items: [Item], id: (Item) -> String, by key: (Item) -> ListKey) -> [Item] {
        let keyed = items.map { (item: $0, key: key($0), id: id($0)) }
        return
            keyed
            .sorted { $0.key == $1.key ? $0.id < $1.id : ($0.key < $1.key) != isDescending }
            .map(\.item)
    }
}

/// What lists are ordered by.
enum ListKey: Comparable {
    case number(Int64)
    case text(String)
    /// Last of all, first where the highest come first.
    case nothing
}
