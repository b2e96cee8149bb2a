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
            #expect(try await desk.state(other) == .expired)
            // Nor does a record of the writer's own.
            let forged = CrossDeviceRecord(
                key: key, version: 3, content: #"{"state":"approved"}"#, expiresAt: approved.expiresAt)
            #expect(try await service.storage.replaceCrossDevice(with: forged, at: noon))
            #expect(try await desk.state(page) == .expired)
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
            #expect(try await service.events().contains { $0.hasPrefix("web_session.opened") } == false)
        }
    }

    @Test(arguments: [PhoneSignInState.completed, .denied, .locked])
    func `attack: a store that loses its last writes brings back nothing that is over`(
        end: PhoneSignInState
    ) async throws {
        try await withService { service in
            let store = ForgetfulStore()
            let desk = try PhoneDesk(service, store: store)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let approved = store.written
            switch end {
            case .completed: #expect(try await desk.confirm(digits, page).word == "signed in")
            case .denied: try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin())
            default: for _ in 0..<3 { _ = try await desk.confirm(wrong(digits), page) }
            }
            #expect(try await desk.state(page) == end)
            store.written = approved
            #expect(try await desk.confirm(digits, page).word == "over: expired")
            #expect(try await desk.reasons().first == "used_before")
            let opened = try await service.events().filter { $0.hasPrefix("web_session.opened") }.count
            #expect(opened == (end == .completed ? 1 : 0))
        }
    }

    @Test func `attack: a store that loses its last writes gives no more tries`() async throws {
        try await withService { service in
            let store = ForgetfulStore()
            let desk = try PhoneDesk(service, store: store)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let approved = store.written
            #expect(try await desk.confirm(wrong(digits), page).word == "wrong")
            store.written = approved
            #expect(try await desk.confirm(digits, page).word == "over: expired")
            #expect(try await desk.reasons().first == "used_before")
        }
    }

    /// Digits that alice's phone shows, in a store that can be restored.
    private func withShownDigits(
        _ body: (Service, PhoneDesk, ForgetfulStore, BearerIdentity, String) async throws -> Void
    ) async throws {
        try await withService { service in
            try await SignInDesk(service).add("alice")
            let store = ForgetfulStore()
            let desk = try PhoneDesk(service, store: store)
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let digits = try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
            try await body(service, desk, store, phone, digits)
        }
    }

    @Test(arguments: [(1, 0), (1, 1), (3, 0), (3, 60_000)])
    func `attack: a store that loses its last writes brings back no shown code`(tries: Int, later: Int64)
        async throws
    {
        try await withShownDigits { service, desk, store, _, digits async throws in
            // Whoever writes there may say another end beside it.
            let shown = store.written.mapValues { record in
                CrossDeviceRecord(
                    key: record.key, version: record.version, content: record.content,
                    expiresAt: record.expiresAt + .milliseconds(later))
            }
            let isUsed = tries == 1
            for typed in Array(repeating: isUsed ? digits : wrong(digits), count: tries) {
                _ = try await desk.signsIn(typed, "alice")
            }
            store.written = shown
            #expect(try await desk.signsIn(digits, "alice") == false)
            #expect(try await desk.reasons().first == "used_before")
            let opened = try await service.events().filter { $0.hasPrefix("web_session.opened") }.count
            #expect(opened == (isUsed ? 1 : 0))
        }
    }

    @Test func `attack: a shown code that was used is over at every try, whatever the store forgets`() async throws {
        try await withShownDigits { _, desk, store, _, digits async throws in
            let shown = store.written
            #expect(try await desk.signsIn(digits, "alice"))
            store.written = shown
            // The first try's number was the used one's; those after it are new.
            #expect(try await desk.signsIn(wrong(digits), "alice") == false)
            #expect(try await desk.signsIn(digits, "alice") == false)
            #expect(try await desk.reasons().first == "used_before")
        }
    }

    @Test func `attack: a shown code that a newer one replaced stays over, whatever the store forgets`() async throws {
        try await withShownDigits { _, desk, store, phone, digits async throws in
            let first = store.written
            _ = try await desk.codes().show(bearer: phone, origin: origin())
            store.written = first
            #expect(try await desk.signsIn(digits, "alice") == false)
            #expect(try await desk.reasons().first == "used_before")
        }
    }

    @Test
    func `attack: a report whose record alone was written is for good, and an alarm, once the phone says it again`()
        async throws
    {
        try await withService { service in
            let store = ForgetfulStore()
            let uses = LosableUses(service.storage)
            let desk = try PhoneDesk(service, store: store, uses: uses)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let approved = store.written
            uses.loss.withLock { $0 = .everything }
            await #expect(throws: StorageError.self) {
                try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            }
            uses.loss.withLock { $0 = .none }
            #expect(try await desk.state(page) == .denied)
            let other = try await desk.phone("another")
            #expect(
                try await desk.refusal {
                    try await desk.approvals().deny(page.id, isReport: true, bearer: other, origin: origin())
                } == "access_denied")
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            #expect(
                try await desk.refusal {
                    try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
                } == "conflict")
            let events = try await service.events()
            #expect(events.filter { $0.hasPrefix("cross_device.denied") }.count == 1)
            #expect(events.filter { $0.hasPrefix("cross_device.reported") }.count == 1)
            store.written = approved
            #expect(try await desk.confirm(digits, page).word == "over: expired")
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
            async let news = waiting.news(of: page.secret, seen: .created)
            while waiting.watch.waiting == 0 { await Task.yield() }
            _ = try await desk.scan(page, phone)
            #expect(try await news.page.state == .scanned)
        }
    }

    @Test func `a page that shows something older is answered at once`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let news = try await desk.node().news(of: page.secret, seen: .scanned)
            #expect(news.page.state == .created)
            #expect(news.page.left == 120)
        }
    }

    @Test func `a page that asks twice in a second is told to wait`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let ask = { try await desk.node().news(of: page.secret, seen: nil) }
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
            let task = Task { try await node.news(of: page.secret, seen: .created) }
            while node.watch.waiting == 0 { await Task.yield() }
            task.cancel()
            #expect(try await task.value.page.state == .created)
            #expect(node.watch.waiting == 0)
        }
    }

    @Test func `a node that stops keeps nobody waiting, nor whoever comes yet`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let node = desk.node()
            let task = Task { try await node.news(of: page.secret, seen: .created) }
            while node.watch.waiting == 0 { await Task.yield() }
            node.stopWaiting()
            #expect(try await task.value.page.state == .created)
            desk.clock.advance(.seconds(1))
            #expect(try await node.news(of: page.secret, seen: .created).page.state == .created)
            #expect(node.watch.waiting == 0)
        }
    }

    @Test func `those who wait when the store is lost are told so`() async throws {
        try await withService { service in
            let store = LosableStore(service.storage)
            let desk = try PhoneDesk(service, store: store)
            let page = try await desk.begin()
            let node = desk.node()
            let task = Task { try await node.news(of: page.secret, seen: .created) }
            while node.watch.waiting == 0 { await Task.yield() }
            store.isLost.withLock { $0 = true }
            await #expect(throws: StorageError.self) { try await task.value }
        }
    }
}

/// Keeps records in memory, and is restored to what it was before, as a replica is that takes over without the tail.
private final class ForgetfulStore: CrossDeviceStore {
    private let records = Mutex<[String: CrossDeviceRecord]>([:])

    var written: [String: CrossDeviceRecord] {
        get { records.withLock { $0 } }
        set { records.withLock { $0 = newValue } }
    }

    func addCrossDevice(_ record: CrossDeviceRecord, at now: Timestamp) -> Bool {
        records.withLock { records in
            if let old = records[record.key], now < old.expiresAt { return false }
            records[record.key] = record
            return true
        }
    }

    func crossDevice(_ key: String, at now: Timestamp) -> CrossDeviceRecord? {
        written[key].flatMap { now < $0.expiresAt ? $0 : nil }
    }

    func replaceCrossDevice(with record: CrossDeviceRecord, at now: Timestamp) -> Bool {
        records.withLock { records in
            guard let old = records[record.key], old.version == record.version - 1, now < old.expiresAt else {
                return false
            }
            records[record.key] = record
            return true
        }
    }

    func removeCrossDevice(_ key: String) { records.withLock { $0[key] = nil } }

    func movedCrossDevices(among keys: Set<String>, at now: Timestamp) -> [String: Int64] {
        written.filter { keys.contains($0.key) && $0.value.version > 0 && now < $0.value.expiresAt }.mapValues(
            \.version)
    }

    func purgeCrossDevices(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
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
