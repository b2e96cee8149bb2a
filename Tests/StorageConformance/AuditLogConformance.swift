package import Bridge

/// What every ``AuditLog`` must do.
package enum AuditLogConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = chainCases + searchCases

    private static let chainCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("events are numbered without gaps and chained, also under concurrent writes") { open in
            let store = try await open()
            _ = try await concurrently(60) { number in
                switch number % 3 {
                case 0: try await store.append([Sample.event(.nodeStarted), Sample.event(.nodeStopped)])
                case 1: _ = try await store.redeemSample(Sample.token("t\(number)"))
                default: _ = try await store.redeemSample(Sample.token("contested"), suffix: "\(number)")
                }
            }
            // 20 × 2 appended, 20 redemptions and one winner of the contested token, 2 events each.
            let head = try await onlyChain(of: store)
            try expectEqual(head.sequence, 82, "events")
            try await expectIntact(head, in: store)
        },
        ConformanceCase("every field of an event comes back as it was, and its hash holds") { open in
            let store = try await open()
            var event = AuditEvent(
                at: Timestamp(milliseconds: 1_700_000_000_001), type: .redirectRefused, outcome: .failure,
                reason: "nicht erlaubt", subject: "Zoë 王", clientID: "app:ß", targetClientID: "web",
                sessionID: "s", tokenID: "t", detail: #"{"length":3,"path":"/ü"}"#)
            event.address = "2001:db8::1"
            event.userAgent = "Mözilla/5.0 👩‍💻 \"'; --"
            event.requestID = "r-1"
            try await store.append([event, Sample.event(.nodeStarted)])
            let node = try await onlyChain(of: store).node
            let records = try await open().records(of: node, in: 1...2, limit: 10)
            try expectEqual(records.map(\.event), [event, Sample.event(.nodeStarted)], "events")
            try expect(records.allSatisfy(\.isIntact), "hashes hold")
        },
        ConformanceCase("a zero byte in an event is replaced, not refused") { open in
            let store = try await open()
            var event = Sample.event(.loginTokenRefused)
            event.userAgent = "a\0b"
            try await store.append([event])
            let head = try await onlyChain(of: store)
            try await expectIntact(head, in: store)
            try expectEqual(try await store.events(.loginTokenRefused).map(\.userAgent), ["a\u{FFFD}b"], "user agent")
        },
        ConformanceCase("each server has a chain of its own") { open in
            let servers = [try await open(), try await open()]
            _ = try await concurrently(40) { number in
                try await servers[number % 2].append([Sample.event(.nodeStarted)])
            }
            let chains = try await servers[0].chains()
            try expectEqual(chains.map(\.sequence), [20, 20], "heads")
            for chain in chains { try await expectIntact(chain, in: servers[1]) }
        },
        ConformanceCase("records are read in ranges and up to a limit") { open in
            let store = try await open()
            try await store.append((1...10).map { _ in Sample.event(.nodeStarted) })
            let node = try await onlyChain(of: store).node
            try expectEqual(
                try await store.records(of: node, in: 3...8, limit: 4).map(\.sequence), [3, 4, 5, 6], "records")
            try expectEqual(try await store.records(of: "nobody", in: 1...9, limit: 9), [], "another node")
        },
        ConformanceCase("a checkpoint is signed after 1000 events and at the close") { open in
            let store = try await open()
            for _ in 1...11 { try await store.append((1...100).map { _ in Sample.event(.nodeStarted) }) }
            let head = try await onlyChain(of: store)
            try expectEqual(try await store.checkpoints().map(\.value?.size), [1000], "after 1100 events")
            try await store.close()
            let other = try await open()
            let checkpoints = try await other.checkpoints().compactMap(\.value)
            try expectEqual(checkpoints.map(\.size), [1000, 1100], "after the close")
            try expectEqual(checkpoints.last?.hash, head.hash, "what the last one covers")
            try expectEqual(checkpoints.last?.node, head.node, "whose")
        },
        ConformanceCase("a storage that can be written says so") { open in
            let store = try await open()
            try await store.checkWritable()
            try await store.checkWritable()
        },
    ]

    private static let searchCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a search gives the newest first, page by page, and new events do not shift it") { open in
            let store = try await open()
            let times = [5, 3, 3, 9, 1, 7].map { Sample.now + .seconds($0) }
            try await store.append(times.map { Sample.event(.nodeStarted, at: $0) })
            let first = try await store.search(AuditFilter(), before: nil, limit: 3)
            try expectEqual(first.records.map(\.sequence), [4, 6, 1], "first page")
            try await store.append([Sample.event(.nodeStarted, at: Sample.now + .seconds(20))])
            let second = try await open().search(AuditFilter(), before: first.next, limit: 3)
            try expectEqual(second.records.map(\.sequence), [3, 2, 5], "second page")
            try expectEqual(second.next, nil, "the end")
        },
        ConformanceCase("a page has 1 to 500 events, whatever is asked for, and the next goes on behind it") { open in
            let store = try await open()
            try await store.append((1...502).map { Sample.event(.nodeStarted, at: Sample.now + .milliseconds($0)) })
            for (limit, count) in [(-1, 1), (0, 1), (50, 50), (5000, 500)] {
                let page = try await store.search(AuditFilter(), before: nil, limit: limit)
                try expectEqual(page.entries.count, count, "asked for \(limit)")
                let next = try await store.search(AuditFilter(), before: page.next, limit: 1)
                try expectEqual(next.records.first?.sequence, 502 - Int64(count), "behind \(limit)")
            }
        },
        ConformanceCase("each filter finds its event and no other") { open in
            let store = try await open()
            try await store.append([AuditSearchSample.other, AuditSearchSample.wanted])
            for (name, filter) in AuditSearchSample.filters {
                let found = try await store.search(filter, before: nil, limit: 10).records.map(\.event)
                try expectEqual(found, [AuditSearchSample.wanted], name)
                try expectEqual(filter.matches(AuditSearchSample.wanted), true, "\(name) of an event that comes")
                try expectEqual(filter.matches(AuditSearchSample.other), false, "\(name) of another that comes")
            }
        },
        ConformanceCase("a time range has its start and not its end") { open in
            let store = try await open()
            try await store.append((0..<4).map { Sample.event(.nodeStarted, at: Sample.now + .milliseconds($0)) })
            var filter = AuditFilter()
            filter.from = Sample.now + .milliseconds(1)
            filter.to = Sample.now + .milliseconds(3)
            let found = try await store.search(filter, before: nil, limit: 10).records.map(\.sequence)
            try expectEqual(found, [3, 2], "found")
        },
        ConformanceCase("a text is found in every field it is looked for in, whatever the case") { open in
            let store = try await open()
            try await store.append([AuditSearchSample.other, AuditSearchSample.wanted])
            for text in AuditSearchSample.texts {
                var filter = AuditFilter()
                filter.text = text
                let found = try await store.search(filter, before: nil, limit: 10).records.map(\.event)
                try expectEqual(found, [AuditSearchSample.wanted], text)
                // The live stream goes by this.
                try expectEqual(filter.matches(AuditSearchSample.wanted), true, "\(text) of an event that comes")
                try expectEqual(filter.matches(AuditSearchSample.other), false, "\(text) of another that comes")
            }
        },
        ConformanceCase("a text's own wildcards mean themselves") { open in
            let store = try await open()
            try await store.append([
                Sample.event(.nodeStarted, reason: "100% _sure_ \\o/"), Sample.event(.nodeStarted, reason: "100 asure"),
            ])
            for text in ["%", "_", "\\", "_sure", "0% _"] {
                var filter = AuditFilter()
                filter.text = text
                let found = try await store.search(filter, before: nil, limit: 10).records.map(\.sequence)
                // The types hold an underscore in no event here but these.
                try expectEqual(found, [1], text)
            }
        },
    ]

    static func onlyChain(of store: any BridgeStorage) async throws -> AuditChainHead {
        let chains = try await store.chains()
        guard chains.count == 1, let chain = chains.first else {
            throw ConformanceFailure(description: "there is one chain, not \(chains.count)")
        }
        return chain
    }

    /// Walks a node's whole chain.
    static func expectIntact(_ head: AuditChainHead, in store: any BridgeStorage) async throws {
        let records = try await store.records(of: head.node, in: 1...Int64.max, limit: Int(head.sequence) + 1)
        try expectEqual(records.map(\.sequence), Array(1...head.sequence), "sequence")
        var previous = AuditRecord.genesis
        for record in records {
            try expectEqual(record.previousHash, previous, "link of event \(record.sequence)")
            try expect(record.isIntact, "the hash of event \(record.sequence) holds")
            previous = record.hash
        }
        try expectEqual(previous, head.hash, "head")
    }
}
