import Bridge

/// By what the console's list of clients is ordered; the word is part of its address.
enum ClientOrder: String, CaseIterable, Sendable {
    case id, name, type, place

    /// What is compared; ids tell equals apart.
    func key(_ client: Client, _ register: ClientRegister) -> [String] {
        let first =
            switch self {
            case .id: ""
            case .name: client.name.lowercased()
            case .type: client.kind.rawValue
            case .place: register.isFixed(client.id) ? "settings" : "database"
            }
        return [first, client.id.rawValue]
    }

    /// The headings, as the template takes them.
    static func columns(by order: ClientOrder, _ words: ConsoleWords) -> [[String: any Sendable]] {
        allCases.map {
            [
                "title": words("console_clients", "column_\($0.rawValue)"),
                "path": "/admin/clients?sort=\($0.rawValue)", "is_order": $0 == order,
            ]
        }
    }
}
