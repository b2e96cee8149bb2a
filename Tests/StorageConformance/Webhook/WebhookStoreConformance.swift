package import Bridge

/// What every ``WebhookStore`` must do, and what the ends of sessions and devices put into its queue.
package enum WebhookStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("the end of a subscriber's web session is queued once, with who and why") { open in
            let store = try await open()
            try await store.changeWebhookSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            let ended = try await concurrently(10) { _ in
                try await store.end(.webSession("session-w"), .sample(.signedOut))
            }
            try expectEqual(ended.count { !$0.isEmpty }, 1, "ends")
            let notices = try await open().take()
            try expectEqual(
                notices,
                [
                    WebhookNotice(
                        id: "web_session.ended:session-w", clientID: "web", kind: .webSessionEnded, subject: "alice",
                        objectID: "session-w", reason: "signed_out", endedAt: Sample.now, attempts: 1)
                ], "the notice")
        },
        ConformanceCase("the reason that an administrator wrote down is not told to websites") { open in
            let store = try await open()
            try await store.changeWebhookSubscribers(adding: ["web"], removing: [])
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            let action = AdminAction(
                actor: .client("operator"), reason: "case 4711: stolen phone", origin: nil, at: Sample.now)
            _ = try await store.end(.webSession("session-w"), Ending(action))
            try expectEqual(try await store.take().map(\.reason), ["administrator"], "reason")
            try expectEqual(
                try await store.events(.webSessionEnded).map(\.reason), ["case 4711: stolen phone"], "the log")
        },
        ConformanceCase("nobody else's end is queued, and no longer that of a client without a webhook") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeWebhookSubscribers(adding: ["app", "shop"], removing: [])
            try await servers[1].changeWebhookSubscribers(adding: ["shop"], removing: ["app"])
            _ = try await servers[0].open(Sample.session("w"), replacing: nil, events: [])
            try await servers[0].openSample(Sample.appSession("a"))
            _ = try await servers[0].end(.appSession("app-a"), .sample())
            _ = try await servers[0].end(.webSession("session-w"), .sample(at: Sample.now))
            try expectEqual(try await servers[1].take(), [], "notices")
        },
        ConformanceCase("a server that knows fewer webhooks takes none of the others' away") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeWebhookSubscribers(adding: ["web"], removing: [])
            try await servers[1].changeWebhookSubscribers(adding: ["shop"], removing: [])
            _ = try await servers[1].open(Sample.session("w"), replacing: nil, events: [])
            _ = try await servers[1].end(.webSession("session-w"), .sample(at: Sample.now))
            try expectEqual(try await servers[1].take().map(\.clientID), ["web"], "notices")
        },
        ConformanceCase("an end right after a client got its webhook is queued, and none after it lost it") { open in
            let store = try await open()
            for name in ["a", "b", "c"] { _ = try await store.open(Sample.session(name), replacing: nil, events: []) }
            var client = Client(id: "web", name: "Website", kind: .web)
            client.webhook = Client.Webhook(uri: "https://shop.example/hook", secretFile: "shop")
            _ = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
            _ = try await store.end(.webSession("session-a"), .sample(at: Sample.now))
            let told = client
            client.webhook = nil
            _ = try await store.save(client, expecting: .unchanged(told), event: Sample.event(.clientChanged))
            _ = try await store.end(.webSession("session-b"), .sample(at: Sample.now))
            _ = try await store.save(told, expecting: .unchanged(client), event: Sample.event(.clientChanged))
            _ = try await store.deleteClient("web", event: Sample.event(.clientDeleted))
            _ = try await store.end(.webSession("session-c"), .sample(at: Sample.now))
            try expectEqual(try await store.take().map(\.objectID), ["session-a"], "notices")
        },
        ConformanceCase("an app session's end queues the web sessions under it too") { open in
            let store = try await open()
            try await store.changeWebhookSubscribers(adding: ["app", "web"], removing: [])
            try await store.openSample(Sample.appSession("a"))
            let web = Sample.session("w", token: "t", parent: "app-a")
            _ = try await store.redeem(
                Sample.token("t"), opening: web, use: Sample.use(web), replacing: [], events: [])
            _ = try await store.end(.appSession("app-a"), .sample())
            try expectEqual(
                Set(try await store.take().map(\.id)),
                ["app_session.ended:app-a", "web_session.ended:session-w"], "notices")
        },
        ConformanceCase("a device's end queues the device, and all below it") { open in
            let store = try await open()
            try await store.changeWebhookSubscribers(adding: ["app", "web"], removing: [])
            _ = try await store.issueSample("a")
            _ = try await store.useSample("digest-a", DeviceSample.use("a"))
            _ = try await store.end(.device("device-a"), .sample(.signedOut))
            let notices = try await store.take()
            try expectEqual(
                Set(notices.map(\.id)),
                ["device_secret.revoked:device-a", "app_session.ended:app-a", "web_session.ended:web-a"], "notices")
            try expectEqual(notices.first { $0.kind == .deviceRevoked }?.reason, "signed_out", "reason")
        },
        ConformanceCase("the end of everything of a user queues it all") { open in
            let store = try await open()
            try await store.changeWebhookSubscribers(adding: ["app", "web"], removing: [])
            try await store.addUser("alice", at: Sample.now)
            _ = try await store.issueSample("a")
            _ = try await store.open(Sample.session("w"), replacing: nil, events: [])
            try await store.change("alice", UserChange(isDisabled: true))
            try expectEqual(
                Set(try await store.take().map(\.id)),
                ["device_secret.revoked:device-a", "app_session.ended:app-a", "web_session.ended:session-w"],
                "notices")
        },
        ConformanceCase("of two servers one takes a webhook notice, and a lease brings it back") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeWebhookSubscribers(adding: ["web"], removing: [])
            _ = try await servers[0].open(Sample.session("w"), replacing: nil, events: [])
            _ = try await servers[0].end(.webSession("session-w"), .sample(at: Sample.now))
            let taken = try await concurrently(10) { number in try await servers[number % 2].take() }.flatMap { $0 }
            try expectEqual(taken.map(\.attempts), [1], "attempts")
            try expectEqual(try await servers[1].take(), [], "while it is leased")
            let later = Sample.now + .seconds(30)
            let again = try await servers[1].take(at: later)
            try expectEqual(again.map(\.attempts), [2], "attempts after the lease")
            try await servers[1].postponeWebhookNotice(again[0].id, until: later + .seconds(5))
            try expectEqual(try await servers[0].take(at: later + .seconds(4)), [], "postponed")
            try expectEqual(try await servers[0].take(at: later + .seconds(5)).count, 1, "due again")
            try await servers[0].settleWebhookNotice(again[0].id, event: Sample.event(.webhookSent))
            try await servers[1].settleWebhookNotice(again[0].id, event: Sample.event(.webhookSent))
            try expectEqual(try await servers[1].take(at: later + .seconds(600)), [], "settled")
            try expectEqual(try await servers[0].events(.webhookSent).count, 1, "events")
        },
        ConformanceCase("a webhook notice that a server gives back is due again later, and was not tried") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].changeWebhookSubscribers(adding: ["web"], removing: [])
            _ = try await servers[0].open(Sample.session("w"), replacing: nil, events: [])
            _ = try await servers[0].end(.webSession("session-w"), .sample(at: Sample.now))
            let taken = try await servers[0].take()
            try expectEqual(taken.map(\.attempts), [1], "attempts")
            let later = Sample.now + .seconds(5)
            try await servers[0].giveBackWebhookNotice(taken[0].id, until: later)
            try expectEqual(try await servers[1].take(at: later - .seconds(1)), [], "before")
            try expectEqual(try await servers[1].take(at: later).map(\.attempts), [1], "attempts of the other")
        },
    ]
}

extension BridgeStorage {
    fileprivate func take(at now: Timestamp = Sample.now) async throws -> [WebhookNotice] {
        try await takeWebhookNotices(dueAt: now, lease: .seconds(30), limit: 10, sparing: [])
    }
}
