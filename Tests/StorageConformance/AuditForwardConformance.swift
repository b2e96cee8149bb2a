package import Bridge

/// What every ``AuditForwardCursors`` must do.
package enum AuditForwardConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("how far each target is, is kept by node and never goes back") { open in
            let store = try await open()
            try expectEqual(try await store.forwardedSequences(to: "siem"), [:], "at first")
            try await store.noteForwarded(to: "siem", node: "a", through: 7, at: Sample.now)
            try await store.noteForwarded(to: "siem", node: "b", through: 1, at: Sample.now)
            try await store.noteForwarded(to: "archive", node: "a", through: 2, at: Sample.now)
            try await store.noteForwarded(to: "siem", node: "a", through: 9, at: Sample.now)
            try await store.noteForwarded(to: "siem", node: "a", through: 8, at: Sample.now)
            try expectEqual(try await open().forwardedSequences(to: "siem"), ["a": 9, "b": 1], "of the one")
            try expectEqual(try await store.forwardedSequences(to: "archive"), ["a": 2], "of the other")
        }
    ]
}
