import Bridge
import OAuth2

/// A user's sessions in the order of what hangs under what: device, app, web view (contract §16).
struct SessionTree: Sendable {
    private let sessions: [SessionOverview]
    private let devices: [DeviceSecret]
    private let traces: [SessionID: SessionTrace]
    private let words: ConsoleWords

    /// Deeper ones are drawn as deep as this.
    private static let deepest = 3

    init(
        _ sessions: [SessionOverview], devices: [DeviceSecret], traces: [SessionID: SessionTrace], words: ConsoleWords
    ) {
        self.sessions = sessions
        self.devices = devices
        self.traces = traces
        self.words = words
    }

    func rows(at now: Timestamp, showsEnded: Bool) -> [[String: any Sendable]] {
        let shown = sessions.filter { showsEnded || $0.isAlive(at: now) }
        let ids = Set(shown.map(\.id))
        let children = Dictionary(grouping: shown.filter { $0.parentID.map(ids.contains) ?? false }) { $0.parentID }
        var rows: [[String: any Sendable]] = []
        var drawn: Set<SessionID> = []
        func draw(_ session: SessionOverview, depth: Int) {
            // Each once, whatever a damaged row says of its parent.
            guard drawn.insert(session.id).inserted else { return }
            let isBelow = session.parentID.map(ids.contains) ?? false
            rows.append(row(session, depth: min(depth, Self.deepest), isBelowParent: isBelow, at: now))
            for child in children[session.id] ?? [] { draw(child, depth: depth + 1) }
        }
        for device in devices {
            let apps = shown.filter { $0.deviceSecretID == device.id && !drawn.contains($0.id) }
            guard !apps.isEmpty else { continue }
            var row: [String: any Sendable] = [
                "device_row": true, "name": device.name ?? words("console_user", "nameless"),
            ]
            row["platform"] = device.platform
            rows.append(row)
            for app in apps { draw(app, depth: 1) }
        }
        for session in shown where !(session.parentID.map(ids.contains) ?? false) { draw(session, depth: 0) }
        for session in shown { draw(session, depth: 0) }
        return rows
    }

    /// - Parameter isBelowParent: whether the tree shows what the session hangs under, so that no words need to.
    private func row(
        _ session: SessionOverview, depth: Int, isBelowParent: Bool, at now: Timestamp
    ) -> [String: any Sendable] {
        var row = ConsoleRows.session(session, at: now, words)
        if isBelowParent { row["parent"] = nil }
        row["depth"] = String(depth)
        // The row's own, or a template would take the page's.
        row["device_row"] = false
        guard let trace = traces[session.id] else { return row }
        row.merge(ConsoleRows.trace(trace, words)) { $1 }
        return row
    }
}
