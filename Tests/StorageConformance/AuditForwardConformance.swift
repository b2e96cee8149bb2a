package import Bridge

/// What every ``AuditForwardCursors`` must do.
package enum AuditForwardConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("how far each target is, is kept by node and never goes back") { open in
            let (store, other) = (try await open(), try await open())
            try await store.append((0..<10).map { _ in Sample.event(.nodeStarted) })
            try await other.append([Sample.event(.nodeStarted)])
            let chains = try await store.chains().sorted { $0.sequence > $1.sequence }
            let (a, b) = (chains[0].node, chains[1].node)
            try expectEqual(try await store.forwardedPositions(to: "siem"), [:], "at first")
            try await store.noteForwarded(to: "siem", node: a, through: place(7, checkpoint: 4), at: Sample.now)
            try await store.noteForwarded(to: "siem", node: b, through: place(1), at: Sample.now)
            try await store.noteForwarded(to: "archive", node: a, through: place(2), at: Sample.now)
            try await store.noteForwarded(to: "siem", node: a, through: place(9, cut: 3), at: Sample.now)
            try await store.noteForwarded(to: "siem", node: a, through: place(8), at: Sample.now)
            let found = try await open().forwardedPositions(to: "siem")
            try expectEqual(found, [a: place(9, checkpoint: 4, cut: 3), b: place(1)], "of the one")
            try expectEqual(try await store.forwardedPositions(to: "archive"), [a: place(2)], "of the other")
        },
        ConformanceCase("a position behind the chain's end is not noted: what comes up to there was not sent") { open in
            let store = try await open()
            try await store.append((0..<3).map { _ in Sample.event(.nodeStarted) })
            let node = try await AuditLogConformance.onlyChain(of: store).node
            try await store.noteForwarded(to: "siem", node: node, through: place(2), at: Sample.now)
            try await store.noteForwarded(
                to: "siem", node: node, through: place(.max, checkpoint: 9, cut: -1), at: Sample.now)
            try expectEqual(try await store.forwardedPositions(to: "siem"), [node: place(2)], "behind the end")
            // As of a chain that was longer before the database was restored.
            try await store.noteForwarded(to: "siem", node: node, through: place(4), at: Sample.now)
            try await store.append((0..<3).map { _ in Sample.event(.nodeStarted) })
            try expectEqual(try await store.forwardedPositions(to: "siem"), [node: place(2)], "once it has come there")
            try await store.noteForwarded(to: "siem", node: node, through: place(3, checkpoint: 1), at: Sample.now)
            try expectEqual(
                try await store.forwardedPositions(to: "siem"), [node: place(3, checkpoint: 1)], "the next one")
        },
    ]

    private static func place(_ sequence: Int64, checkpoint: Int64 = 0, cut: Int64 = 0) -> AuditForwardPosition {
        AuditForwardPosition(sequence: sequence, notes: AuditNotePosition(checkpoint: checkpoint, cut: cut))
    }
}
