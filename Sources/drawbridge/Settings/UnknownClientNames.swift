import Bridge

/// Names of clients that the settings use and do not hold.
///
/// They are warnings: such a client may live in the database, where a check of the settings does not look.
struct UnknownClientNames {
    /// One sentence for each name.
    let warnings: [String]

    init(in settings: DrawbridgeSettings) {
        let known = Set(settings.clients.map(\.id))
        var named = settings.defaultWebClient.map { [("default_web_client", $0)] } ?? []
        for (index, client) in settings.clients.enumerated() {
            named += client.mayReach.sorted { $0.rawValue < $1.rawValue }.map { ("clients[\(index)].may_reach", $0) }
            named += client.shareWith.sorted { $0.rawValue < $1.rawValue }.map { ("clients[\(index)].share_with", $0) }
        }
        warnings = named.filter { !known.contains($0.1) }.map { place, id in
            "\(place) names \(id), which is no client of the settings; it has no effect unless the database has one."
        }
    }
}
