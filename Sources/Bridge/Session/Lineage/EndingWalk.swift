/// What a store can do inside the transaction in which something ends.
///
/// Each verb that ends takes hold of its rows first, and says what this call ended. Those about sessions take many at a
/// time: one user may have tens of thousands, and meanwhile nobody else's writes are made.
package protocol EndingGround {
    /// - Returns: those that were alive until now.
    func end(appSessions ids: [SessionID], at now: Timestamp) throws -> [AppSession]

    /// - Returns: those that were alive until now.
    func end(webSessions ids: [SessionID], at now: Timestamp) throws -> [WebSession]

    /// - Returns: the device when it was live until now.
    func revoke(device id: DeviceSecretID, at now: Timestamp, reason: String) throws -> DeviceSecret?

    /// Deletes the authorization codes that were issued in sessions or below them and have not been redeemed. One that
    /// is being redeemed elsewhere is waited for, and its session then found below.
    /// - Parameter takesInherited: as in ``sessions(below:takingInherited:)``.
    func deleteCodes(below ids: [SessionID], takingInherited takesInherited: Bool) throws

    /// The living sessions that sessions opened or that were granted in them, those included that go on elsewhere.
    /// - Parameter takesInherited: also those that were granted in an earlier session of the same browser, whose place
    ///   one of these took.
    func sessions(below ids: [SessionID], takingInherited takesInherited: Bool) throws -> [EndingRoot]

    /// As ``deleteCodes(below:takingInherited:)``, of those alone that a browser's session holds now.
    func deleteCodes(heldBy id: SessionID) throws

    /// Deletes the unredeemed codes that a user granted, in whichever session. One that is being redeemed elsewhere is
    /// waited for, and its session lives.
    func deleteCodes(of subject: Subject, at now: Timestamp) throws

    /// The living sessions that a browser's session holds now, its own and what it took over: not what went on
    /// elsewhere.
    func sessions(heldBy id: SessionID) throws -> [EndingRoot]

    /// What was granted in a browser's session, or in one whose place it took, and lives.
    func grants(in id: SessionID, at now: Timestamp) throws -> [AppSession]

    /// Takes back the device secrets that refreshes gave out in an app session or in a descendant, including those that
    /// ended before. Until the transaction ends no session of this user is hung below any device.
    /// - Returns: the live devices that were given their first secret in one of these, held.
    func takeBackSecrets(givenBelow id: SessionID, at now: Timestamp) throws -> [DeviceSecretID]

    /// The living app sessions of a device.
    func appSessions(of device: DeviceSecretID) throws -> [SessionID]

    /// A user's live devices and living sessions.
    func everything(of subject: Subject, at now: Timestamp) throws -> [EndingRoot]

    /// A user's living web sessions that an app opened with another issuer's bearer: in this session of the app, or in
    /// any.
    func opened(by app: ClientID, of subject: Subject, in session: SessionID?, at now: Timestamp) throws -> [EndingRoot]

    /// A client's living app sessions of a user, however they were opened; deletes the unredeemed codes that the user
    /// granted it. One that is being redeemed elsewhere is waited for, and its session then found.
    func grants(to client: ClientID, of subject: Subject, at now: Timestamp) throws -> [EndingRoot]

    /// Revokes the unused login tokens of a user that an app was issued with another issuer's bearers: in this session
    /// of the app, or in any. One that is being redeemed elsewhere is waited for, and its session then found.
    /// - Returns: how many.
    func revokeLoginTokens(
        of app: ClientID, for subject: Subject, in session: SessionID?, at now: Timestamp
    ) throws -> Int

    /// Has no login token open anything that was issued to the user until now, nor anything else that has proven who
    /// the user is and waits (``SignInBasis``).
    /// - Parameter isAlone: whether not everything of the user ends with them.
    /// - Returns: how many of those on record could still have been used.
    func voidLoginTokens(of subject: Subject, isAlone: Bool, at now: Timestamp) throws -> Int

    /// Ends what a user's tokens opened in the console, each with its event (contract §16.9).
    func endConsole(of subject: Subject, _ ending: Ending) throws

    /// Stores events; with that of a session's end, word of it is queued for the session's client.
    func record(_ events: [AuditEvent]) throws

    /// Queues word for its client that the browser in which an app session was granted is signed out, though that
    /// session goes on.
    func tellClient(leaving session: SessionID, at now: Timestamp) throws

    /// Queues word of a device's end for its client.
    func tellClient(of device: DeviceSecretID, by event: AuditEvent) throws
}

/// What ends with what: the whole subtree, over both kinds of edge, codes before the sessions that they could still
/// open, until nothing more is found (contract §7, §16.6). Level by level, each with a few verbs.
package struct EndingWalk {
    private let ground: any EndingGround
    private let root: EndingRoot
    private let ending: Ending
    private var first: [AuditEvent]
    private var ended = Ended()
    private var waiting: [(found: [EndingRoot], reason: Ending.Reason)] = []
    private var visited: Set<EndingRoot> = []
    /// Those that end as well unless another app is signed in on them.
    private var devices: [DeviceSecretID] = []

    private init(_ ending: Ending, of root: EndingRoot, on ground: any EndingGround, first: [AuditEvent]) {
        self.root = root
        self.ending = ending
        self.ground = ground
        self.first = first
    }

    /// - Parameter first: events that are recorded ahead, when anything ends.
    package static func run(
        _ ending: Ending, of root: EndingRoot, on ground: any EndingGround, first: [AuditEvent] = []
    ) throws -> Ended {
        var walk = EndingWalk(ending, of: root, on: ground, first: first)
        try walk.begin()
        try walk.goOn()
        for device in try walk.devices.filter({ try ground.appSessions(of: $0).isEmpty }) {
            walk.push(.device(device), reason: ending.reason)
        }
        try walk.goOn()
        return walk.ended
    }

    private mutating func begin() throws {
        switch root {
        case .user(let subject):
            try tell(
                voided: ground.voidLoginTokens(of: subject, isAlone: false, at: ending.at), of: subject)
            try ground.endConsole(of: subject, ending)
            for found in try ground.everything(of: subject, at: ending.at) { push(found, reason: ending.reason) }
        case .opened(let app, let subject, let session):
            // Ahead of the sessions: one that is used until then is found among them.
            try tell(
                voided: ground.revokeLoginTokens(of: app, for: subject, in: session, at: ending.at), of: subject,
                by: app, in: session)
            for found in try ground.opened(by: app, of: subject, in: session, at: ending.at) {
                push(found, reason: ending.reason)
            }
        case .granted(let client, let subject):
            for found in try ground.grants(to: client, of: subject, at: ending.at) {
                push(found, reason: ending.reason)
            }
        case .unused(let subject):
            try tell(voided: ground.voidLoginTokens(of: subject, isAlone: true, at: ending.at), of: subject)
            try ground.deleteCodes(of: subject, at: ending.at)
        // Ahead of the sessions, as at a device's end.
        case .appSession(let id) where ending.extent == .stolen:
            devices = try ground.takeBackSecrets(givenBelow: id, at: ending.at)
        default: break
        }
        push(root, reason: ending.reason)
    }

    /// One event for all of them, where there were any: it may be all that an end finds of the user's.
    private mutating func tell(
        voided count: Int, of subject: Subject, by app: ClientID? = nil, in session: SessionID? = nil
    ) throws {
        guard count > 0 else { return }
        try record([ending.event(voidingLoginTokens: count, of: subject, by: app, in: session)])
    }

    private mutating func goOn() throws {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            try visit(next.found, reason: next.reason)
        }
    }

    /// What goes on after a browser's sign-out was granted in a sign-in of the user's own; elsewhere nothing is. Asked
    /// once the session has ended: whatever was granted until then is there, and nothing more comes.
    /// - Parameter tells: not where a browser leaves a session that had ended before: its cookie could be sent again
    ///   and again, and have the same clients told each time.
    private mutating func spareOffline(in id: SessionID, tells: Bool) throws {
        for grant in try ground.grants(in: id, at: ending.at) where grant.outlivesBrowser {
            visited.insert(.appSession(grant.id))
            if tells { try ground.tellClient(leaving: grant.id, at: ending.at) }
        }
    }

    private mutating func push(_ root: EndingRoot, reason: Ending.Reason) {
        guard visited.insert(root).inserted else { return }
        if waiting.last?.reason == reason {
            waiting[waiting.count - 1].found.append(root)
        } else {
            waiting.append(([root], reason))
        }
    }

    /// Ends what was found together, then finds what is below any of it.
    private mutating func visit(_ found: [EndingRoot], reason: Ending.Reason) throws {
        let apps = try ground.end(appSessions: found.compactMap(\.appSessionID), at: ending.at)
        ended.sessions += apps.map(\.id)
        try record(apps.map { ending.event(ending: $0, reason: reason) })
        for case .device(let id) in found { try revoke(id, reason: reason) }
        let webs = try ground.end(webSessions: found.compactMap(\.webSessionID), at: ending.at)
        ended.sessions += webs.map(\.id)
        let events = webs.map { session in
            let type = root == .webSession(session.id) ? ending.webSessionType : .webSessionEnded
            return ending.event(ending: session, type: type, reason: reason)
        }
        try record(events)
        // What a walk begins with is visited alone, but for a user's.
        if case .webSession(let id) = root, found == [root] {
            try leave(id, hadEnded: ending.rootHadEnded ?? webs.isEmpty, reason: reason)
        } else {
            try descend(from: found.compactMap { $0.appSessionID ?? $0.webSessionID }, reason: reason)
        }
    }

    private mutating func revoke(_ id: DeviceSecretID, reason: Ending.Reason) throws {
        guard let device = try ground.revoke(device: id, at: ending.at, reason: reason.text) else { return }
        ended.devices.append(id)
        let event = ending.event(revoking: device)
        try record([event])
        try ground.tellClient(of: id, by: event)
        for session in try ground.appSessions(of: id) { push(.appSession(session), reason: Ending.deviceRevoked) }
    }

    /// From the browser's session that it begins with.
    private mutating func leave(_ id: SessionID, hadEnded: Bool, reason: Ending.Reason) throws {
        let isLate = ending.leavesBrowser && hadEnded
        if ending.extent == .signOut { try spareOffline(in: id, tells: !isLate) }
        if isLate { try takeHeld(by: id, reason: reason) } else { try descend(from: [id], reason: reason) }
    }

    /// What is left to a session that had ended. Where another took its place, its descendants go on there: a copy of
    /// its cookie must not end them.
    private mutating func takeHeld(by id: SessionID, reason: Ending.Reason) throws {
        try ground.deleteCodes(heldBy: id)
        for held in try ground.sessions(heldBy: id) { push(held, reason: reason) }
    }

    /// Also from one that had ended before: what it opened may go on elsewhere.
    ///
    /// What an earlier session of the browser left to this one does not descend from it. Leaving the browser leaves
    /// that too; ending what opened this one, or replaying its link, does not: an app could end all others of its user
    /// by a link, and a thief the app that issued it (ADR-0017).
    private mutating func descend(from ids: [SessionID], reason: Ending.Reason) throws {
        let takesInherited = takeWhatTheyInherited(ids)
        try ground.deleteCodes(below: ids, takingInherited: takesInherited)
        for child in try ground.sessions(below: ids, takingInherited: takesInherited) { push(child, reason: reason) }
    }

    private func takeWhatTheyInherited(_ ids: [SessionID]) -> Bool {
        switch root {
        case .user: true
        case .webSession(let id): ids == [id] && ending.extent != .descendants
        default: false
        }
    }

    private mutating func record(_ events: [AuditEvent]) throws {
        guard !events.isEmpty else { return }
        try ground.record(first + events)
        first = []
    }
}

extension EndingRoot {
    fileprivate var appSessionID: SessionID? { if case .appSession(let id) = self { id } else { nil } }
    fileprivate var webSessionID: SessionID? { if case .webSession(let id) = self { id } else { nil } }
}
