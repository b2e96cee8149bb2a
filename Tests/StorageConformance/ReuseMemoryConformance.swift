package import Bridge

/// What every ``ReuseMemory`` of ``lifetime`` and ``capacity`` must do. `open` gives it with a clock that the case moves.
package enum ReuseMemoryConformance {
    package static let lifetime = Duration.seconds(60)
    package static let capacity = 10

    package static let cases: [ConformanceCase<any SteppedReuseMemory>] = [
        ConformanceCase("a value is fresh once") { open in
            let memory = try await open()
            try expectEqual(try await memory.note("a", after: .zero), .fresh, "first")
            try expectEqual(try await memory.note("a", after: .seconds(59)), .seen, "second")
            try expectEqual(try await memory.note("b", after: .seconds(59)), .fresh, "another")
        },
        ConformanceCase("a value is forgotten after its time, and seeing it again does not lengthen that") { open in
            let memory = try await open()
            _ = try await memory.note("a", after: .zero)
            _ = try await memory.note("a", after: .seconds(30))
            try expectEqual(try await memory.note("a", after: .seconds(60)), .fresh, "after its time")
        },
        ConformanceCase("a full memory says that it is full, and still knows what it has seen") { open in
            let memory = try await open()
            for number in 0..<capacity {
                try expectEqual(try await memory.note("v\(number)", after: .zero), .fresh, "value \(number)")
            }
            for _ in 0..<2 { try expectEqual(try await memory.note("more", after: .seconds(1)), .full, "one more") }
            try expectEqual(try await memory.note("v0", after: .seconds(1)), .seen, "a known one")
        },
        ConformanceCase("there is room again when values are forgotten") { open in
            let memory = try await open()
            for number in 0..<capacity { _ = try await memory.note("v\(number)", after: .seconds(number)) }
            try expectEqual(try await memory.note("more", after: .seconds(59)), .full, "before")
            try expectEqual(try await memory.note("more", after: .seconds(60)), .fresh, "after the first")
            try expectEqual(try await memory.note("most", after: .seconds(60)), .full, "for one only")
        },
        ConformanceCase("of 100 concurrent notes of one value on two servers one is fresh") { open in
            let servers = [try await open(), try await open()]
            let found = try await concurrently(100) { try await servers[$0 % 2].note("a", after: .zero) }
            try expectEqual(found.count { $0 == .fresh }, 1, "fresh")
            try expectEqual(found.count { $0 == .seen }, 99, "seen")
        },
    ]
}

/// A memory whose clock the case moves: forward only.
package protocol SteppedReuseMemory: Sendable {
    /// - Parameter time: since the beginning.
    func note(_ value: String, after time: Duration) async throws -> Novelty
}
