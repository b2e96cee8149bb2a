package import Bridge

extension DurableStorage {
    package func useDeviceSecret(
        digest: String, for use: DeviceSecretUse, overlap: Duration, replayed: Ending
    ) async throws -> DeviceSecretUseOutcome {
        let standing = SQLCall(heldStanding, [SQLValue(use.subject)])
        let hold = SQLCall(DeviceSecretSQL.use, [.text(digest), SQLValue(use.at)])
        let select = SQLCall(DeviceSecretSQL.selectByDigest, [.text(digest)])
        let carrier = SQLCall(heldAppSession, [SQLValue(use.sessionID)])
        let below = SQLCall(DeviceSecretSQL.sessionBelow, [SQLValue(use.sessionID), .text(digest), SQLValue(use.at)])
        let course = [standing, hold, select, carrier, below]
        return try await write(anticipating: course, isOfOneUse: true) { [heldStanding, endings] transaction in
            // The user's row first, as a disabling does, so that the two never wait for each other.
            guard try transaction.isActive(use.subject, by: heldStanding) else { return .refused(.sessionEnded) }
            // By the digest: whatever became of the secret since it was read, this decides.
            guard try transaction.changes(hold) else { return try Self.refusal(of: digest, in: transaction) }
            // Another call took it back while this one waited for the device.
            guard let row = try transaction.run(select).first else {
                throw Withdrawn(outcome: DeviceSecretUseOutcome.refused(.unknown))
            }
            let device = try DeviceSecret(row: row)
            switch try Self.place(of: digest, by: row, at: use.at, overlap: overlap, in: transaction) {
            case .current, .overlapping: break
            case .replayed:
                return .replayed(ended: try transaction.end(.device(device.id), replayed, by: endings))
            }
            // Whoever it is opened for was asked about above in the place of the device's user.
            guard device.subject == use.subject else {
                throw Withdrawn(outcome: DeviceSecretUseOutcome.refused(.sessionEnded))
            }
            _ = try transaction.run(carrier)
            guard try !transaction.run(below).isEmpty else {
                throw Withdrawn(outcome: DeviceSecretUseOutcome.refused(.sessionEnded))
            }
            var ended = Ended.nothing
            switch use.opening {
            case .appSession(let session, let refreshToken):
                try transaction.insert(session, refreshToken: refreshToken)
            case .webSession(let session, let refreshDigest, let limit):
                if let limit {
                    ended = try transaction.makeRoom(for: session, of: device.id, within: limit, by: endings)
                }
                try transaction.submit(WebSessionSQL.insert, session.newRow(by: nil))
                if let refreshDigest {
                    try transaction.insertSessionRefresh(refreshDigest, of: session, parent: nil, at: use.at)
                }
            }
            for event in use.events { try transaction.record(event) }
            return .accepted(device, ended: ended)
        }
    }

    package func rotateDeviceSecret(
        digest: String, to successor: String, at now: Timestamp, overlap: Duration, event: AuditEvent,
        replayed: Ending
    ) async throws -> DeviceSecretUseOutcome {
        try await write(isOfOneUse: true) { [endings] transaction in
            let select = SQLCall(DeviceSecretSQL.selectByDigest, [.text(digest)])
            guard let device = try transaction.run(select).first.map(DeviceSecret.init(row:)) else {
                return .refused(.unknown)
            }
            guard try transaction.changes(DeviceSecretSQL.hold, [SQLValue(device.id), SQLValue(now)]) else {
                return try Self.refusal(of: digest, in: transaction)
            }
            if try !transaction.changes(DeviceSecretSQL.replace, [.text(digest), SQLValue(now)]) {
                // Another node may have dropped it while this one waited for the device: that is no theft.
                guard let row = try transaction.run(select).first else {
                    throw Withdrawn(outcome: DeviceSecretUseOutcome.refused(.unknown))
                }
                switch try Self.place(of: digest, by: row, at: now, overlap: overlap, in: transaction) {
                case .current, .replayed:
                    return .replayed(ended: try transaction.end(.device(device.id), replayed, by: endings))
                // The answer with the first successor was lost, or is still on its way: that one gets an overlap too.
                case .overlapping:
                    try transaction.run(
                        DeviceSecretSQL.replaceSiblings, [SQLValue(device.id), SQLValue(now), .text(digest)])
                }
            }
            try transaction.run(
                DeviceSecretSQL.insertSuccessor,
                [.text(successor), SQLValue(device.id), SQLValue(now), .text(digest)])
            try transaction.record(event)
            return .accepted(device)
        }
    }

    private enum PresentedPlace { case current, overlapping, replayed }

    /// Why a secret's device could not be held. Read again: another call may have revoked it since, or taken the secret
    /// back.
    private static func refusal(
        of digest: String, in transaction: WriteTransaction
    ) throws -> DeviceSecretUseOutcome {
        let row = try transaction.run(DeviceSecretSQL.selectByDigest, [.text(digest)]).first
        guard let device = try row.map(DeviceSecret.init(row:)) else { return .refused(.unknown) }
        return .refused(device.revokedAt == nil ? .expired : .revoked)
    }

    /// The secret's place, by its row as it is now that its device is held; takes up the overlap's one use.
    private static func place(
        of digest: String, by row: SQLRow, at now: Timestamp, overlap: Duration, in transaction: WriteTransaction
    ) throws -> PresentedPlace {
        guard try row.optionalTimestamp(DeviceSecret.columnCount) != nil else { return .current }
        let earliest = SQLValue(now - overlap)
        return try transaction.changes(DeviceSecretSQL.spendOverlap, [.text(digest), SQLValue(now), earliest])
            ? .overlapping : .replayed
    }
}

extension WriteTransaction {
    /// Ends the device's sessions at a website that the new one leaves no room for. The device's row is held, so no
    /// other is opened meanwhile; asked in its turn and not ahead, where those of the same batch would not be seen.
    fileprivate func makeRoom(
        for session: WebSession, of device: DeviceSecretID, within limit: WebViewLimit, by sql: EndingSQL
    ) throws -> Ended {
        let others = SQLValue.integer(Int64(limit.count - 1))
        let beyond: [SessionID] = try run(
            WebSessionSQL.aliveBeyond,
            [SQLValue(device), SQLValue(session.createdAt), SQLValue(session.clientID), others]
        ).map { try $0.identifier(0) }
        var ended = Ended.nothing
        for id in beyond { ended = ended + (try end(.webSession(id), limit.displaced, by: sql)) }
        return ended
    }
}

extension DeviceSecretUse {
    /// For whom it is opened, and so who the caller thinks has the device.
    fileprivate var subject: Subject {
        switch opening {
        case .webSession(let session, _, _): session.subject
        case .appSession(let session, _): session.subject
        }
    }
}
