import Crypto
import OAuth2
import Synchronization
import StorageConformance
import Testing

@testable import Bridge

/// Keeps what was posted, and answers as it is told.
private final class RecordingWebhook: WebhookDelivery {
    struct Post: Sendable {
        let body: [UInt8]
        let signature: String
        let id: String
        let uri: String
    }

    private let state = Mutex((posts: [Post](), answers: [Int?]()))

    var posts: [Post] { state.withLock { $0.posts } }

    func willAnswer(_ answers: Int?...) { state.withLock { $0.answers = answers } }

    func post(_ body: [UInt8], signature: String, id: String, to uri: String, timeout: Duration) -> Int? {
        state.withLock { state in
            state.posts.append(Post(body: body, signature: signature, id: id, uri: uri))
            return state.answers.isEmpty ? 204 : state.answers.removeFirst()
        }
    }
}

private struct FixedSecrets: WebhookSecretSource {
    var secrets: [String]
    func secrets(named name: String) throws -> [Secret<[UInt8]>] {
        guard name == "shop", !secrets.isEmpty else { throw Missing() }
        return secrets.map { Secret(Array($0.utf8)) }
    }

    struct Missing: Error {}
}

@Suite struct WebhookNotifierTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func withNotifier(
        secrets: [String] = [secret],
        _ body: (Service, WebhookNotifier, RecordingWebhook) async throws -> Void
    ) async throws {
        try await withService { service async throws in
            var client = try #require(service.clients.current[website])
            client.webhook = Client.Webhook(uri: "https://shop.example/hook", secretFile: "shop")
            service.clients.replace(with: ClientDirectory([client], defaultTarget: nil))
            let delivery = RecordingWebhook()
            let notifier = WebhookNotifier(
                store: service.storage, clients: service.clients, secrets: FixedSecrets(secrets: secrets),
                delivery: delivery, time: service.clock.source)
            try await notifier.subscribe()
            try await endSession("session", service)
            try await body(service, notifier, delivery)
        }
    }

    private func endSession(_ id: SessionID, _ service: Service) async throws {
        let now = service.clock.now
        let session = WebSession(
            id: id, secretDigest: "digest of \(id)", subject: "alice", clientID: website, appClientID: app,
            parentID: nil, loginTokenID: nil, opening: .loginToken, authentication: Authentication(),
            createdAt: now, expiresAt: now + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: now)
        _ = try await service.storage.open(session, replacing: nil, events: [])
        // By another app, which is for the audit log alone.
        let ending = Ending(
            at: now, reason: .signedOut, origin: origin(), by: EndingAsker("other-app", in: "other-session"))
        try await service.endings.end(.webSession(session.id), ending)
    }

    @Test func `the website is told once what has ended, and nothing that opens anything`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            #expect(try await notifier.deliverDue() == 1)
            #expect(try await notifier.deliverDue() == 0)
            let post = try #require(delivery.posts.first)
            #expect(delivery.posts.count == 1)
            #expect(post.uri == "https://shop.example/hook")
            #expect(
                String(decoding: post.body, as: UTF8.self) == """
                    {"id":"web_session.ended:session","type":"web_session.ended","at":"\(noon.rfc3339)",\
                    "client_id":"web","sub":"alice","sid":"session","reason":"signed_out"}
                    """)
            #expect(post.id == "web_session.ended:session")
            #expect(try await service.events().last == "webhook.sent")
        }
    }

    @Test func `time and body are signed, by every secret in force`() async throws {
        let secrets = [Self.secret, String(Self.secret.reversed())]
        try await withNotifier(secrets: secrets) { _, notifier, delivery async throws in
            try await notifier.deliverDue()
            let post = try #require(delivery.posts.first)
            let parts = post.signature.split(separator: ",").map(String.init)
            #expect(parts.first == "t=\(noon.seconds)")
            let codes = secrets.map { secret in
                HMAC<SHA256>.authenticationCode(
                    for: Array("\(noon.seconds).".utf8) + post.body, using: SymmetricKey(data: Array(secret.utf8))
                ).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
            }
            #expect(Array(parts.dropFirst()) == codes.map { "v1=\($0)" })
        }
    }

    @Test(arguments: [nil, 302, 400, 404, 500] as [Int?])
    func `an answer that is no 2xx is asked for again, with the same id and body and a fresh time`(
        _ status: Int?
    ) async throws {
        try await withNotifier { service, notifier, delivery async throws in
            delivery.willAnswer(status, 200)
            #expect(try await notifier.deliverDue() == 1)
            #expect(try await notifier.deliverDue() == 0)
            service.clock.advance(.seconds(1))
            #expect(try await notifier.deliverDue() == 1)
            #expect(delivery.posts.map(\.body)[0] == delivery.posts.map(\.body)[1])
            #expect(Set(delivery.posts.map(\.id)).count == 1)
            #expect(Set(delivery.posts.map(\.signature)).count == 2)
            #expect(try await service.events().last == "webhook.sent")
        }
    }

    @Test func `it is tried for a day, then given up and written down`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            let tries = WebhookNotifier.retries.pauses.count + 1
            for number in 0..<tries {
                delivery.willAnswer(503)
                #expect(try await notifier.deliverDue() == 1, "try \(number)")
                if number < tries - 1 { service.clock.advance(WebhookNotifier.retries.pauses[number]) }
            }
            service.clock.advance(.seconds(86_400))
            #expect(try await notifier.deliverDue() == 0)
            #expect(try await service.events().last == "webhook.failed status_503")
            let day = WebhookNotifier.retries.pauses.reduce(Duration.zero, +)
            #expect((Duration.seconds(23 * 3600)...Duration.seconds(25 * 3600)).contains(day))
        }
    }

    @Test func `a last try that the end of this process cut off is made again`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            for pause in WebhookNotifier.retries.pauses {
                delivery.willAnswer(503)
                try await notifier.deliverDue()
                service.clock.advance(pause)
            }
            let notices = try await notifier.takeDue()
            delivery.willAnswer(nil)
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                for notice in notices { await notifier.deliver(notice) }
            }.value
            #expect(try await !service.events().contains { $0.hasPrefix("webhook.failed") })
            service.clock.advance(WebhookNotifier.lease)
            #expect(try await notifier.deliverDue() == 1)
            #expect(try await service.events().last == "webhook.sent")
        }
    }

    /// A node whose settings file is of before the webhook.
    private func oldNode(_ service: Service, _ delivery: RecordingWebhook) -> WebhookNotifier {
        WebhookNotifier(
            store: service.storage, clients: Reloadable(ClientDirectory([], defaultTarget: nil)),
            secrets: FixedSecrets(secrets: []), delivery: delivery, time: service.clock.source)
    }

    @Test func `a node that starts with an older settings file takes no website's webhook away`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            try await notifier.deliverDue()
            try await oldNode(service, delivery).subscribe()
            try await endSession("another", service)
            #expect(try await notifier.deliverDue() == 1)
            #expect(delivery.posts.last?.id == "web_session.ended:another")
        }
    }

    @Test func `a notice that a node with an older settings file takes is left for a node that knows the webhook`()
        async throws
    {
        try await withNotifier { service, notifier, delivery async throws in
            #expect(try await oldNode(service, delivery).deliverDue() == 1)
            #expect(delivery.posts.isEmpty)
            service.clock.advance(.seconds(1))
            #expect(try await notifier.deliverDue() == 1)
            #expect(delivery.posts.count == 1)
        }
    }

    @Test func `a node that does not know a webhook uses up none of the tries of one that does`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            let old = oldNode(service, delivery)
            for pause in WebhookNotifier.retries.pauses {
                #expect(try await old.deliverDue() == 1)
                service.clock.advance(NoticePatience.waits.upperBound)
                delivery.willAnswer(503)
                #expect(try await notifier.deliverDue() == 1)
                service.clock.advance(pause)
            }
            #expect(delivery.posts.count == WebhookNotifier.retries.pauses.count)
            #expect(try await notifier.deliverDue() == 1)
            #expect(try await service.events().last == "webhook.sent")
        }
    }

    @Test func `a webhook that another node took out is put back by a node that still has it`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            try await notifier.deliverDue()
            try await service.storage.changeWebhookSubscribers(adding: [], removing: [website])
            try await notifier.subscribe()
            try await endSession("another", service)
            #expect(try await notifier.deliverDue() == 1)
        }
    }

    @Test func `a webhook that a reload takes away is taken out`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            try await notifier.deliverDue()
            service.clients.replace(with: ClientDirectory([], defaultTarget: nil))
            try await notifier.subscribe()
            try await endSession("another", service)
            #expect(try await notifier.deliverDue() == 0)
        }
    }

    @Test func `without a secret nothing is posted, and it waits for one`() async throws {
        try await withNotifier(secrets: []) { service, notifier, delivery async throws in
            #expect(try await notifier.deliverDue() == 1)
            #expect(delivery.posts.isEmpty)
            let mended = WebhookNotifier(
                store: service.storage, clients: service.clients, secrets: FixedSecrets(secrets: [Self.secret]),
                delivery: delivery, time: service.clock.source)
            service.clock.advance(.seconds(1))
            #expect(try await mended.deliverDue() == 1)
            #expect(delivery.posts.count == 1)
        }
    }

    @Test func `a client whose webhook no node knows for 30 hours is not told, and its queue ends`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            // As after a restart: this node never saw the webhook.
            let restarted = oldNode(service, delivery)
            for _ in 0..<30 {
                #expect(try await restarted.deliverDue() == 1)
                service.clock.advance(.seconds(3600))
            }
            #expect(try await service.events().last != "webhook.failed no_receiver")
            #expect(try await restarted.deliverDue() == 1)
            #expect(delivery.posts.isEmpty)
            #expect(try await service.events().last == "webhook.failed no_receiver")
            try await endSession("another", service)
            service.clock.advance(.seconds(86_400))
            #expect(try await restarted.deliverDue() == 0, "nothing is queued for it any more")
        }
    }

    @Test func `what a process that died had in hand goes to the next`() async throws {
        try await withNotifier { service, notifier, delivery async throws in
            _ = try await service.storage.takeWebhookNotices(
                dueAt: noon, lease: WebhookNotifier.lease, limit: 10, sparing: [])
            #expect(try await notifier.deliverDue() == 0)
            service.clock.advance(WebhookNotifier.lease)
            #expect(try await notifier.deliverDue() == 1)
            #expect(delivery.posts.count == 1)
        }
    }

    @Test(arguments: ["../shop", "a/b", ".hidden", "", "a b", String(repeating: "a", count: 65)])
    func `a secret's file is named without a path`(_ name: String) {
        #expect(!Client.Webhook.isFileName(name))
    }
}
