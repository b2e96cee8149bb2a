import Bridge

enum ClientOrder: String, ListOrder {
    case id, name, type, place

    static let section = ConsoleSection.clients
    var title: String { "column_\(rawValue)" }

    func sort(_ clients: [Client], in register: ClientRegister) -> [Client] {
        sort(clients, id: \.id.rawValue) { client in
            switch self {
            case .id: .text(client.id.rawValue)
            case .name: .text(client.name.lowercased())
            case .type: .text(client.kind.rawValue)
            case .place: .text(register.isFixed(client.id) ? "settings" : "database")
            }
        }
    }
}

extension UserOrder: ListOrder {
    static let section = ConsoleSection.users
    package var isDescending: Bool { self == .firstSeen }
}

enum KeyOrder: String, ListOrder {
    case key, purpose = "for", state, since = "signs_since", age, retires

    static let section = ConsoleSection.keys
    var isDescending: Bool { self == .since }

    func sort(_ keys: [KeyOverview]) -> [KeyOverview] {
        sort(keys, id: \.id) { key in
            switch self {
            case .key: .text(key.id)
            case .purpose: .text("\(key.use.rawValue) \(key.algorithm.rawValue)")
            case .state: .text(key.state.rawValue)
            case .since: .number(key.signsFrom.milliseconds)
            // The youngest first.
            case .age: .number(~key.signsFrom.milliseconds)
            case .retires: (key.withdrawnAt ?? key.retiresAt).map { .number($0.milliseconds) } ?? .nothing
            }
        }
    }
}

/// The orders of the list of audit chains, one for each node.
enum ChainOrder: String, ListOrder {
    case node, events, last

    static let section = ConsoleSection.nodes
    var isDescending: Bool { self != .node }

    struct Chain {
        let head: AuditChainHead
        let last: Timestamp?
    }

    func sort(_ chains: [Chain]) -> [Chain] {
        sort(chains, id: \.head.node) { chain in
            switch self {
            case .node: .text(chain.head.node)
            case .events: .number(Int64(chain.head.sequence))
            case .last: .number(chain.last?.milliseconds ?? 0)
            }
        }
    }
}
