package import Bridge

/// What every ``DevicePolls`` must do. The devices ``devices`` are there when a case begins.
package enum DevicePollsConformance {
    package static let devices = ["tv", "radio"]

    package static let cases: [ConformanceCase<any DevicePolls>] = [
        ConformanceCase("a device that keeps its interval never comes too soon") { open in
            let servers = [try await open(), try await open()]
            for number in 0..<6 {
                let poll = try await servers[number % 2].poll(at: .seconds(5 * number))
                try expectEqual(poll, DevicePoll(isTooSoon: false, interval: .seconds(5)), "request \(number)")
            }
        },
        ConformanceCase("one that comes too soon waits five seconds longer, for good, on every server") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].poll(at: .zero)
            try expectEqual(
                try await servers[1].poll(at: .seconds(2)), DevicePoll(isTooSoon: true, interval: .seconds(10)), "first"
            )
            try expectEqual(
                try await servers[0].poll(at: .seconds(8)), DevicePoll(isTooSoon: true, interval: .seconds(15)),
                "the time counts from the request that came too soon")
            try expectEqual(
                try await servers[1].poll(at: .seconds(23)), DevicePoll(isTooSoon: false, interval: .seconds(15)),
                "kept")
            try expectEqual(
                try await servers[0].poll(at: .seconds(30)), DevicePoll(isTooSoon: true, interval: .seconds(20)),
                "for good")
        },
        ConformanceCase("a request may come as early as its way varies, and no earlier") { open in
            let polls = try await open()
            _ = try await polls.poll(at: .zero)
            try expectEqual(try await polls.poll(at: .milliseconds(4_500)).isTooSoon, false, "half a second early")
            try expectEqual(try await polls.poll(at: .milliseconds(8_999)).isTooSoon, true, "earlier than that")
        },
        ConformanceCase("devices do not slow each other down") { open in
            let polls = try await open()
            for device in devices {
                try expectEqual(try await polls.poll(device, at: .zero).isTooSoon, false, device)
            }
            _ = try await polls.poll(at: .seconds(1))
            try expectEqual(
                try await polls.poll("radio", at: .seconds(5)), DevicePoll(isTooSoon: false, interval: .seconds(5)),
                "the other one")
        },
        ConformanceCase("of 20 requests at once on two servers one is in time") { open in
            let servers = [try await open(), try await open()]
            let polls = try await concurrently(20) { number in try await servers[number % 2].poll(at: .zero) }
            try expectEqual(polls.count { !$0.isTooSoon }, 1, "in time")
            try expectEqual(Set(polls.map(\.interval)).count, 20, "each lengthened it")
        },
    ]
}

extension DevicePolls {
    fileprivate func poll(_ device: String = "tv", at time: Duration) async throws -> DevicePoll {
        try await poll(device, until: Sample.now + .seconds(600), at: Sample.now + time)
    }
}
