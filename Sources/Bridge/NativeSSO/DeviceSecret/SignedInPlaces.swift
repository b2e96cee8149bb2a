/// Where a user is signed in: devices, the apps on them, and browsers; and their end.
package final class SignedInPlaces: Sendable {
    /// How many apps, and how many browsers, are listed; what is beyond can be ended together with them.
    package static let limit = 100

    private let devices: any DeviceStore
    private let apps: any GrantStore
    private let webs: any SessionStore
    private let audit: any AuditLog
    private let endings: SessionEndings
    let gate: LimitGate
    let time: TimeSource

    package init(
        devices: any DeviceStore, apps: any GrantStore, webs: any SessionStore,
        audit: any AuditLog, endings: SessionEndings, gate: LimitGate, time: TimeSource
    ) {
        self.devices = devices
        self.apps = apps
        self.webs = webs
        self.audit = audit
        self.endings = endings
        self.gate = gate
        self.time = time
    }

    /// One line of the page.
    package struct Place: Hashable, Sendable {
        /// What is signed in there; it decides what ending the place ends.
        package enum Kind: String, Sendable, CaseIterable { case device, app, browser }

        package let kind: Kind
        package let id: String
        /// What the device is called; `nil` when it was never said.
        package let name: String?
        package let clientID: ClientID
        /// The network that it was opened from, such as `192.0.2.0/24`.
        package let network: String?
        /// What the browser or app said of itself when it was opened; cut, and nothing that can be trusted.
        package var userAgent: String?
        /// The place that opened it: a browser's app, an app's device.
        package var openedBy: String?
        package let since: Timestamp
        package let lastSeenAt: Timestamp?
        /// Whether the page is looked at from here.
        package var isCurrent: Bool
        /// Whether it was let in by a code that was entered elsewhere (RFC 8628).
        package var wasLetInByCode = false
    }

    /// A user's places.
    package struct Listing: Sendable {
        package var places: [Place]
        /// Kinds of which the user has older ones that are not listed.
        package var cutKinds: Set<Place.Kind> = []
    }

    /// What is alive of the user, this one first, then the youngest.
    /// - Parameter current: the session that the page is looked at with.
    func listing(of subject: Subject, current: WebSession) async throws -> Listing {
        try await listing(of: subject, current: current, traces: try await audit.latestTraces(of: subject))
    }

    /// - Parameter traces: what the audit log tells of where the places were opened; empty where it is not shown.
    private func listing(
        of subject: Subject, current: WebSession, traces: [SessionID: SessionTrace]
    ) async throws -> Listing {
        let now = time.now()
        // One more than is listed tells that there are more.
        let apps = try await apps.appSessions(of: subject, aliveAt: now, limit: Self.limit + 1)
        let webs = try await webs.sessions(of: subject, aliveAt: now, limit: Self.limit + 1)
        var places: [Place] = []
        for device in try await devices.deviceSecrets(of: subject, includingEnded: false, at: now) {
            places.append(
                Place(
                    kind: .device, id: device.id.rawValue, name: device.name, clientID: device.clientID,
                    network: traces[device.sessionID]?.address?.limitNetwork.description,
                    userAgent: traces[device.sessionID]?.userAgent,
                    since: device.createdAt, lastSeenAt: device.lastUsedAt, isCurrent: false))
        }
        for app in apps.prefix(Self.limit) {
            places.append(
                Place(
                    kind: .app, id: app.id.rawValue, name: nil, clientID: app.clientID,
                    network: traces[app.id]?.address?.limitNetwork.description,
                    userAgent: traces[app.id]?.userAgent,
                    openedBy: app.deviceSecretID?.rawValue ?? app.parentID?.rawValue,
                    since: app.createdAt, lastSeenAt: nil, isCurrent: false,
                    wasLetInByCode: app.opening == .deviceCode))
        }
        var browsers = Array(webs.prefix(Self.limit))
        // The one in hand belongs to the list, however many are younger.
        if !browsers.contains(where: { $0.id == current.id }), current.isAlive(at: now) { browsers.append(current) }
        places += browsers.map { Self.place(of: $0, traces[$0.id], isCurrent: $0.id == current.id) }
        var listing = Listing(places: places.filter(\.isCurrent) + places.filter { !$0.isCurrent })
        if apps.count > Self.limit { listing.cutKinds.insert(.app) }
        if webs.dropFirst(Self.limit).contains(where: { $0.id != current.id }) { listing.cutKinds.insert(.browser) }
        return listing
    }

    /// The one that a session in hand is.
    func place(of current: WebSession) async throws -> Place {
        let traces = try await audit.latestTraces(of: current.subject)
        return Self.place(of: current, traces[current.id], isCurrent: true)
    }

    private static func place(of web: WebSession, _ trace: SessionTrace?, isCurrent: Bool) -> Place {
        Place(
            kind: .browser, id: web.id.rawValue, name: nil, clientID: web.clientID,
            network: trace?.address?.limitNetwork.description, userAgent: trace?.userAgent,
            openedBy: web.parentID?.rawValue, since: web.createdAt, lastSeenAt: web.lastSeenAt,
            isCurrent: isCurrent)
    }

    /// Ends one of the user's places, with what hangs below it. A browser is signed out: an app that was granted to go
    /// on without it is a place of its own.
    /// - Parameter asker: the session that wants it ended.
    /// - Returns: whether it was the user's and alive.
    func end(
        _ kind: Place.Kind, _ id: String, of subject: Subject, by asker: SessionID, origin: RequestOrigin
    ) async throws -> Bool {
        let now = time.now()
        let root: EndingRoot
        var extent = Ending.Extent.everything
        switch kind {
        case .device:
            let id = DeviceSecretID(rawValue: id)
            guard try await devices.deviceSecret(id: id)?.subject == subject else { return false }
            root = .device(id)
        case .app:
            let id = SessionID(rawValue: id)
            guard try await apps.appSession(id: id)?.subject == subject else { return false }
            root = .appSession(id)
        case .browser:
            let id = SessionID(rawValue: id)
            guard try await webs.session(id: id)?.subject == subject else { return false }
            root = .webSession(id)
            extent = .signOut
        }
        return try await !endings.end(
            root,
            Ending(at: now, reason: .endedByUser, origin: origin, by: EndingAsker(asker), extent: extent)
        ).isEmpty
    }

    /// Ends everything but the current session, and what else is signed in here: also what could have signed somebody
    /// in later, codes and approvals that the current session gave included.
    /// - Parameters:
    ///   - current: a sign-in of the person's own: one that hangs below another place would end with that.
    ///   - here: further sessions in the same browser. One that hangs below a place that ends still ends with that.
    func endOthers(
        than current: WebSession, sparing here: Set<SessionID> = [], origin: RequestOrigin
    ) async throws {
        // First: what was used a moment before is a place by now, and one of those below.
        try await endings.end(
            .unused(of: current.subject),
            Ending(at: time.now(), reason: .endedByUser, origin: origin, by: EndingAsker(current.id)))
        // Until nothing is left to end: what is beyond one list comes in the next.
        var hasEnded: Bool
        repeat {
            hasEnded = false
            // Devices first: what they take with them need not be ended again.
            let places = try await listing(of: current.subject, current: current, traces: [:]).places
            for place in places where !place.isCurrent {
                if place.kind == .browser, here.contains(SessionID(rawValue: place.id)) { continue }
                let isEnded = try await end(place.kind, place.id, of: current.subject, by: current.id, origin: origin)
                if isEnded { hasEnded = true }
            }
        } while hasEnded
    }
}
