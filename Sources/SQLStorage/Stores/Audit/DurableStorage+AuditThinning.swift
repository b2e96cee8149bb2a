package import Bridge

extension DurableStorage {
    /// How long every checkpoint stays: receivers and restores look back no further.
    private static let thinnedAfter = Duration.seconds(7 * 86_400)
    /// Checkpoints that are looked at together.
    private static let thinnedTogether: Int64 = 200

    package func thinCheckpoints(
        from places: [String: Int64], at now: Timestamp
    ) async throws -> [String: Int64] {
        var places = places
        for head in try await chains() {
            guard let next = try await thin(head, after: places[head.node] ?? 0, until: now - Self.thinnedAfter)
            else { continue }
            places[head.node] = next
            return places
        }
        return places
    }

    /// - Parameter place: a size; the first checkpoint beyond it is the first that may go.
    /// - Returns: where to go on; `nil` where nothing further is old enough.
    private func thin(_ head: AuditChainHead, after place: Int64, until cutoff: Timestamp) async throws -> Int64? {
        let keys = try auditor().signer.trustedKeys
        let (rows, hashes) = try await read { session in
            let rows = try session.run(
                AuditSQL.oldCheckpoints,
                [
                    .text(head.node), .integer(place), .integer(head.sequence), SQLValue(cutoff),
                    .integer(Self.thinnedTogether),
                ])
            let readings = rows.map(AuditReading<AuditCheckpoint>.init(row:))
            let sizes = readings.compactMap(\.value?.size)
            return (readings, try Self.hashes(of: head.node, at: sizes, session))
        }
        let sizes = rows.map { $0.value?.size ?? $0.damage?.sequence ?? 0 }
        // The last one is judged together with what follows it.
        guard sizes.count > 1, let next = sizes.dropLast().last, next > place else { return nil }
        let superfluous = zip(rows, rows.dropFirst()).compactMap { earlier, later -> AuditCheckpoint? in
            guard let earlier = earlier.value, let later = later.value, earlier.isSuperfluous(before: later),
                // One that the log contradicts is evidence, and so is one that is not signed.
                hashes[earlier.size]?.hasSameBytes(as: earlier.hash) ?? false,
                hashes[later.size]?.hasSameBytes(as: later.hash) ?? false,
                earlier.problem(trusting: keys) == nil, later.problem(trusting: keys) == nil
            else { return nil }
            return earlier
        }
        if !superfluous.isEmpty {
            try await writeUpkeep { transaction in
                for checkpoint in superfluous { try transaction.remove(checkpoint) }
            }
        }
        return next
    }
}
