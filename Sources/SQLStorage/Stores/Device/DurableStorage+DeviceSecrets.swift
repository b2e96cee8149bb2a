package import Bridge
import Synchronization

extension DurableStorage: DeviceStore {
    package func deviceSecret(digest: String) async throws -> PresentedDeviceSecret? {
        let secret = SQLCall(DeviceSecretSQL.selectByDigest, [.text(digest)])
        let below = SQLCall(AppSessionSQL.underDigest, [.text(digest)])
        return try await look { [dialect] session in
            let course = try QueryCourse([secret, below], in: session, of: dialect)
            guard let row = try course.rows(0).first else { return nil }
            let device = try DeviceSecret(row: row)
            let replacedAt = try row.optionalTimestamp(DeviceSecret.columnCount)
            let isSpent = try row.optionalTimestamp(DeviceSecret.columnCount + 1) != nil
            let sessions = try course.rows(1).map(PresentedDeviceSecret.Session.init(row:))
            return PresentedDeviceSecret(
                device: device, place: replacedAt.map { .replaced(at: $0, isSpent: isSpent) } ?? .current,
                sessions: sessions)
        }
    }

    package func deviceSecret(id: DeviceSecretID) async throws -> DeviceSecret? {
        try await look { session in
            try session.run(DeviceSecretSQL.select, [SQLValue(id)]).first.map(DeviceSecret.init(row:))
        }
    }

    package func deviceSecrets(
        of subject: Subject, includingEnded: Bool, at now: Timestamp
    ) async throws -> [DeviceSecret] {
        try await read { session in
            let rows =
                includingEnded
                ? try session.run(DeviceSecretSQL.listAll, [SQLValue(subject)])
                : try session.run(DeviceSecretSQL.listLive, [SQLValue(subject), SQLValue(now)])
            return try rows.map(DeviceSecret.init(row:))
        }
    }

    package func issueDeviceSecret(
        _ device: DeviceSecret, digest: String, limit: DeviceSecretLimit, event: AuditEvent, displaced: Ending,
        rejected: AuditEvent?
    ) async throws -> DeviceSecretIssueOutcome {
        try await write { [endings] transaction in
            // The user's row is held, so that two sign-ins at once cannot both find room for one device.
            _ = try transaction.changes(SubjectSQL.hold, [SQLValue(device.subject)])
            let live = try transaction.run(
                DeviceSecretSQL.liveByUse,
                [SQLValue(device.subject), SQLValue(device.createdAt), SQLValue(device.sessionID)]
            ).map { row in
                DeviceSecretLimit.Place(
                    id: try row.identifier(0), clientID: try row.identifier(2), isSignedIn: try row.integer(1) == 1)
            }
            guard let excess = limit.displaced(by: device.clientID, among: live) else {
                if let rejected { try transaction.record(rejected) }
                return .rejected
            }
            // Held before the session is, as in hanging one below a device; ended once this one has left.
            for id in excess {
                _ = try transaction.changes(DeviceSecretSQL.holdLive, [SQLValue(id), SQLValue(device.createdAt)])
            }
            try transaction.run(DeviceSecretSQL.insert, device.columns)
            try transaction.run(
                DeviceSecretSQL.insertDigest, [.text(digest), SQLValue(device.id), SQLValue(device.createdAt)])
            // With a session that ended meanwhile it would have nothing to open, and take another's place.
            guard try transaction.changes(DeviceSecretSQL.attach, [SQLValue(device.sessionID), SQLValue(device.id)])
            else { throw Withdrawn(outcome: DeviceSecretIssueOutcome.sessionEnded) }
            var ended = Ended.nothing
            for id in excess {
                ended = ended + (try transaction.end(.device(id), displaced, by: endings))
            }
            // It descends from an app on one of them: rather no further secret than the end of this very session.
            guard !ended.sessions.contains(device.sessionID) else {
                throw Withdrawn(outcome: DeviceSecretIssueOutcome.rejected)
            }
            try transaction.record(event)
            return .issued(ended: ended)
        }
    }

    package func attach(_ sessionID: SessionID, to id: DeviceSecretID, at now: Timestamp) async throws -> Bool {
        let owner = SQLCall(heldDeviceOwner, [SQLValue(id)])
        let hold = SQLCall(DeviceSecretSQL.hold, [SQLValue(id), SQLValue(now)])
        let attach = SQLCall(DeviceSecretSQL.attach, [SQLValue(sessionID), SQLValue(id)])
        return try await write(anticipating: [owner, hold, attach]) { transaction in
            guard try transaction.isOwnerActive(owner), try transaction.changes(hold) else { return false }
            return try transaction.changes(attach)
        }
    }

    package func addDeviceSecret(
        digest: String, to id: DeviceSecretID, for session: SessionID, at now: Timestamp, keeping count: Int,
        event: AuditEvent
    ) async throws -> DeviceSecretAddition {
        let owner = SQLCall(heldDeviceOwner, [SQLValue(id)])
        let hold = SQLCall(DeviceSecretSQL.hold, [SQLValue(id), SQLValue(now)])
        let carrier = SQLCall(heldAppSession, [SQLValue(session)])
        let alive = SQLCall(DeviceSecretSQL.liveSession, [SQLValue(session), SQLValue(id), SQLValue(now)])
        return try await write(anticipating: [owner, hold, carrier, alive]) { transaction in
            guard try transaction.isOwnerActive(owner) else { return .sessionEnded }
            guard try transaction.changes(hold) else { return .deviceEnded }
            _ = try transaction.run(carrier)
            guard try !transaction.run(alive).isEmpty else { return .sessionEnded }
            try transaction.submit(
                DeviceSecretSQL.insertAnother, [.text(digest), SQLValue(id), SQLValue(now), SQLValue(session)])
            // One whose secret goes and that is used in the same batch may have come first.
            try transaction.submit(DeviceSecretSQL.dropOlder, [SQLValue(id), .integer(Int64(count))])
            try transaction.record(event)
            return .added
        }
    }

    package func purgeDeviceSecrets(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        let now = time.now()
        let start = purgeProgress.withLock { $0.start(in: ExpiredDevices.table, at: now) }
        var search = ExpiredDevices(before: cutoff, from: start, limit: limit)
        while !search.isOver {
            search = try await browse { [search] session in
                var search = search
                try search.look(in: session)
                return search
            }
        }
        let devices = search.found
        if !devices.isEmpty {
            try await writeUpkeep { transaction in
                for device in devices {
                    try transaction.submit(DeviceSecretSQL.purge, [device, SQLValue(cutoff)])
                    try transaction.submit(DeviceSecretSQL.purgeDigests, [device])
                }
            }
        }
        let place = search.place
        purgeProgress.withLock { $0.note(place, in: ExpiredDevices.table, at: now) }
        return devices.count
    }
}

extension WriteTransaction {
    /// Holds the row of a device's user, before the device's own: an end of everything of the user goes from sessions
    /// on to devices, and would wait for who goes the other way.
    /// - Parameter held: ``DurableStorage/heldDeviceOwner`` of a device.
    /// - Returns: whether the user may sign in; also for a device that is not there, which no transaction can hold
    ///   then.
    fileprivate func isOwnerActive(_ held: SQLCall) throws -> Bool {
        try run(held).first?.optionalTimestamp(0) == nil
    }
}
