import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// The store lost, read or written to by somebody else, and pages that wait for it.
@Suite struct CrossDeviceStoreAttackTests {
    @Test func `attack: a writer of the store can neither make nor alter a sign-in`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let other = try await desk.begin()
            let phone = try await desk.phone("mallory's", of: "mallory")
            _ = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let key = PhoneSignInNames.key(of: page.id)
            let approved = try #require(try await service.storage.crossDevice(key, at: noon))
            // What stands in the store names nobody.
            #expect(!approved.content.contains("mallory"))
            #expect(!approved.content.contains("203.0.113"))
            // Copied to another browser's place it does not open.
            let place = PhoneSignInNames.key(of: other.id)
            let copy = CrossDeviceRecord(
                key: place, version: 1, content: approved.content, expiresAt: approved.expiresAt)
            #expect(try await service.storage.replaceCrossDevice(with: copy, at: noon))
            #expect(try await desk.state(other) == "expired")
            // Nor does a record of the writer's own.
            let forged = CrossDeviceRecord(
                key: key, version: 3, content: #"{"state":"approved"}"#, expiresAt: approved.expiresAt)
            #expect(try await service.storage.replaceCrossDevice(with: forged, at: noon))
            #expect(try await desk.state(page) == "expired")
        }
    }

    @Test func `attack: the store lost in the middle opens nothing, at whatever step`() async throws {
        try await withService { service in
            let store = LosableStore(service.storage)
            let desk = try PhoneDesk(service, store: store)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, phone)
            let digits = try await desk.approve(page, scanned, phone)
            store.isLost.withLock { $0 = true }
            await #expect(throws: StorageError.self) { try await desk.confirm(digits, page) }
            await #expect(throws: StorageError.self) { try await desk.scan(page, phone) }
            await #expect(throws: StorageError.self) { try await desk.begin() }
            await #expect(throws: StorageError.self) { try await desk.state(page) }
            #expect(try await service.events().contains("web_session.opened") == false)
        }
    }

    @Test func `a node that dies in the middle is not needed: another takes the digits`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let phone = try await desk.phone()
            // Every call of the desk is a node of its own; nothing of the one that showed the page is left.
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            #expect(try await desk.confirm(digits, page).word == "signed in")
        }
    }

    @Test func `a waiting page hears of a change on another node`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let phone = try await desk.phone()
            let waiting = desk.node()
            async let news = waiting.news(of: page.secret, seen: "created", origin: origin())
            while waiting.watch.waiting == 0 { await Task.yield() }
            _ = try await desk.scan(page, phone)
            #expect(try await news.page.state == "scanned")
        }
    }

    @Test func `a page that shows something older is answered at once`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let news = try await desk.node().news(of: page.secret, seen: "scanned", origin: origin())
            #expect(news.page.state == "created")
            #expect(news.page.left == 120)
        }
    }

    @Test func `a page that asks twice in a second is told to wait`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let ask = { try await desk.node().news(of: page.secret, seen: nil, origin: origin()) }
            #expect(try await desk.refusal(ask) == "none")
            #expect(try await desk.refusal(ask) == "rate_limited")
            desk.clock.advance(.seconds(1))
            #expect(try await desk.refusal(ask) == "none")
        }
    }

    @Test func `whoever gives up waiting waits no longer`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let node = desk.node()
            let task = Task { try await node.news(of: page.secret, seen: "created", origin: origin()) }
            while node.watch.waiting == 0 { await Task.yield() }
            task.cancel()
            #expect(try await task.value.page.state == "created")
            #expect(node.watch.waiting == 0)
        }
    }

    @Test func `a node that stops keeps nobody waiting, nor whoever comes yet`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let node = desk.node()
            let task = Task { try await node.news(of: page.secret, seen: "created", origin: origin()) }
            while node.watch.waiting == 0 { await Task.yield() }
            node.stopWaiting()
            #expect(try await task.value.page.state == "created")
            desk.clock.advance(.seconds(1))
            #expect(try await node.news(of: page.secret, seen: "created", origin: origin()).page.state == "created")
            #expect(node.watch.waiting == 0)
        }
    }

    @Test func `those who wait when the store is lost are told so`() async throws {
        try await withService { service in
            let store = LosableStore(service.storage)
            let desk = try PhoneDesk(service, store: store)
            let page = try await desk.begin()
            let node = desk.node()
            let task = Task { try await node.news(of: page.secret, seen: "created", origin: origin()) }
            while node.watch.waiting == 0 { await Task.yield() }
            store.isLost.withLock { $0 = true }
            await #expect(throws: StorageError.self) { try await task.value }
        }
    }
}

/// A store that can be taken away.
private final class LosableStore: CrossDeviceStore {
    let isLost = Mutex(false)
    private let base: any CrossDeviceStore

    init(_ base: any CrossDeviceStore) { self.base = base }

    private func reached() throws -> any CrossDeviceStore {
        guard !isLost.withLock({ $0 }) else { throw StorageError.unavailable("lost") }
        return base
    }

    func addCrossDevice(_ record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        try await reached().addCrossDevice(record, at: now)
    }

    func crossDevice(_ key: String, at now: Timestamp) async throws -> CrossDeviceRecord? {
        try await reached().crossDevice(key, at: now)
    }

    func replaceCrossDevice(with record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        try await reached().replaceCrossDevice(with: record, at: now)
    }

    func removeCrossDevice(_ key: String) async throws { try await reached().removeCrossDevice(key) }

    func movedCrossDevices(among keys: Set<String>, at now: Timestamp) async throws -> [String: Int64] {
        try await reached().movedCrossDevices(among: keys, at: now)
    }

    func purgeCrossDevices(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await reached().purgeCrossDevices(expiredBefore: cutoff, limit: limit)
    }
}
