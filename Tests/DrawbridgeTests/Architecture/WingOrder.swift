/// The folders of a target in one order: what is declared in one is named only there and in those after it (ADR-0019).
///
/// Reads names, not meanings: types declared at the top level of a file, and what extensions add under a name that
/// nothing else has. That is enough for packages whose types all have names of their own.
struct WingOrder: Sendable, CustomStringConvertible {
    /// Such as `Sources/Bridge`.
    let target: String
    /// From the ground up; wings in one set do not know each other. `""` is the files of no folder, the roof.
    let wings: [Set<String>]

    static let all = [
        WingOrder(
            target: "Sources/OAuth2",
            wings: [
                ["Encoding"], ["Error"], ["JOSE"], ["ProofOfPossession", "RedirectURI"], [""],
                ["Authorization", "Token"],
            ]),
        WingOrder(
            target: "Sources/Bridge",
            wings: [
                ["Core"], ["Audit"], ["Limit"], ["Client"], ["Session"], ["User"], ["Provider"], ["LoginToken"],
                ["SignIn", "NativeSSO"], ["Admin"], [""],
            ]),
        WingOrder(
            target: "Sources/BridgeHTTP",
            wings: [
                ["Request"], ["Answer"], ["Generated"], ["Page"], ["AppLinks"], ["Session"], ["Provider"],
                ["NativeSSO"],
                ["Admin"], ["SignIn"], ["LoginToken"], ["Compatibility"], ["Console"], ["Listener"], [""],
            ]),
        WingOrder(
            target: "Sources/SQLStorage",
            wings: [["Engine"], ["Commit"], ["Schema"], ["Stores"], ["SQLite"], ["Postgres"], ["Copy"]]),
        WingOrder(
            target: "Sources/Federation", wings: [["Fetch"], ["Issuer"], ["Delivery", "Upstream"], [""]]),
        WingOrder(
            target: "Sources/RedisStorage",
            wings: [["Wire"], ["Settings"], ["Connection"], ["Topology"], [""], ["Roles"]]),
        WingOrder(
            target: "Sources/SelfIssuedIdP",
            wings: [
                ["Core"], ["Link"], ["Transport", "Key"], ["Profile"], ["Request"], ["Store"], ["Answer"],
                [""],
            ]),
        WingOrder(
            target: "Sources/drawbridge-app", wings: [["Loopback"], ["Browser"], ["Commands"], [""]]),
        WingOrder(
            target: "Sources/drawbridge-phone", wings: [["Terminal", "Network"], ["Commands"], [""]]),
        WingOrder(
            target: "Sources/drawbridge", wings: [["KeyFile"], ["Settings"], ["Service"], ["Demo"], ["Commands"], [""]]),
    ]

    var description: String { target }

    /// The targets of `files` that have wings to order.
    static func targets(of files: [SourceWords]) -> [String] {
        var wings: [String: Set<Substring>] = [:]
        for file in files {
            let parts = file.path.split(separator: "/")
            guard parts.count > 3, parts[0] == "Sources" else { continue }
            wings["\(parts[0])/\(parts[1])", default: []].insert(parts[2])
        }
        return wings.filter { $0.value.count > 1 }.keys.sorted()
    }

    /// Every name that points up, as `file: Name`, and every folder that is no wing.
    func violations(in files: [SourceWords]) -> [String] {
        let sources = files.filter { $0.path.hasPrefix(target + "/") && $0.path.hasSuffix(".swift") }
        let homes = homes(in: sources)
        let additions = additions(in: sources, among: files)
        return sources.flatMap { source -> [String] in
            let wing = wing(of: source.path)
            guard let floor = floor(of: wing) else { return ["\(source.path): \(wing) is no wing"] }
            let named = source.names.map { ($0, homes[$0]) } + source.members.map { ($0, additions[$0]) }
            return named.compactMap { name, home in
                guard let home, home != wing, let other = self.floor(of: home), other >= floor else { return nil }
                return "\(source.path): \(name) of \(home.isEmpty ? "the roof" : home)"
            }.sorted()
        }
    }

    private func homes(in sources: [SourceWords]) -> [Substring: String] {
        var homes: [Substring: String] = [:]
        for source in sources { for type in source.types { homes[type] = wing(of: source.path) } }
        return homes
    }

    /// Where extensions add what nothing else of the program is named as: of other names a word alone does not say whose
    /// they are.
    private func additions(in sources: [SourceWords], among files: [SourceWords]) -> [Substring: String] {
        var homes: [Substring: String] = [:]
        for source in sources { for name in source.additions { homes[name] = wing(of: source.path) } }
        var times: [Substring: Int] = [:]
        for file in files where file.path.hasPrefix("Sources/") {
            for name in file.declared { times[name, default: 0] += 1 }
        }
        return homes.filter { times[$0.key] == 1 }
    }

    private func wing(of path: String) -> String {
        let parts = path.dropFirst(target.count + 1).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : ""
    }

    private func floor(of wing: String) -> Int? { wings.firstIndex { $0.contains(wing) } }
}
