package import Bridge

/// What every ``RecentTries`` must do. How long a try counts is each one's own to show: their clocks are not the test's.
package enum RecentTriesConformance {
    package static let cases: [ConformanceCase<any RecentTries>] = [
        ConformanceCase("a second try is told, on every server, and others are not concerned") { open in
            let servers = [try await open(), try await open()]
            try expectEqual(try await servers[0].isFirst("a", within: .seconds(3600)), true, "the first")
            try expectEqual(try await servers[1].isFirst("a", within: .seconds(3600)), false, "the second")
            try expectEqual(try await servers[1].isFirst("b", within: .seconds(3600)), true, "another")
        },
        ConformanceCase("a try that is taken back was none") { open in
            let tries = try await open()
            _ = try await tries.isFirst("a", within: .seconds(3600))
            try await tries.takeBack("a")
            try expectEqual(try await tries.isFirst("a", within: .seconds(3600)), true, "after it")
        },
    ]
}
