import Foundation
import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Nodes over one database, with one clock.
struct KeyNodes: Sendable {
    let storage: any BridgeStorage
    let clock: FixedClock
    private(set) var all: [SigningKeys] = []

    subscript(_ index: Int) -> SigningKeys { all[index] }

    mutating func start(_ count: Int) async throws {
        for number in 0..<count {
            let keys = make("node-\(number)")
            try await keys.load()
            all.append(keys)
        }
    }

    func make(
        _ name: String?, master byte: UInt8 = 3, algorithms: [KeyAlgorithm] = KeyAlgorithm.allCases,
        record: (any WithdrawnKeyRecord)? = nil, store: (any SigningKeyStore)? = nil, clockBehind: Duration = .zero
    ) -> SigningKeys {
        SigningKeys(
            store: store ?? storage, master: MasterKey([UInt8](repeating: byte, count: 32)) ?? MasterKey.zero,
            algorithms: algorithms, node: name, record: record,
            time: TimeSource { [clock] in clock.now - clockBehind },
            pause: { [clock] in clock.advance($0) })
    }

    func keys(_ algorithm: KeyAlgorithm) async throws -> [SealedSigningKey] {
        try await storage.signingKeys().keys.filter { $0.algorithm == algorithm }
    }

    func events() async throws -> [AuditEvent] {
        try await storage.search(AuditFilter(), before: nil, limit: 500).records.map(\.event)
    }

    /// As a backup does that was made before the key was retired.
    func bringBack(_ id: String) async throws {
        let stored = try await storage.signingKeys()
        var key = try #require(stored.keys.first { $0.id == id })
        key.withdrawnAt = nil
        key.retiresAt = nil
        #expect(
            try await storage.changeSigningKeys(SigningKeyChange(saved: [key]), seenAs: stored.number, events: []))
    }
}

extension MasterKey {
    fileprivate static var zero: MasterKey {
        guard let key = MasterKey([UInt8](repeating: 0, count: 32)) else { preconditionFailure() }
        return key
    }
}

extension SigningKeys {
    var now: Timestamp { time.now() }
    /// The key that signs login tokens.
    var signing: String? { loginTokens.current.signingKeyID(at: now) }

    @discardableResult
    func rotate() async throws -> [SealedSigningKey] { try await rotate(action: action(now), signingAfter: nil) }
}

func action(_ now: Timestamp, reason: String? = nil) -> AdminAction {
    AdminAction(actor: .login("root"), reason: reason, origin: nil, at: now)
}

func withKeys(nodes count: Int = 1, _ body: (KeyNodes) async throws -> Void) async throws {
    try await withService { service async throws in
        var nodes = KeyNodes(storage: service.storage, clock: service.clock)
        try await nodes.start(count)
        try await body(nodes)
    }
}

/// What a node keeps beside the database.
final class NotedKeys: WithdrawnKeyRecord {
    struct DiskFull: Error {}

    private let state = Mutex((noted: Set<String>(), isFull: false))
    var noted: Set<String> { state.withLock { $0.noted } }
    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    func ids() -> Set<String> { noted }

    func add(_ ids: Set<String>) throws {
        try state.withLock { state in
            guard !state.isFull else { throw DiskFull() }
            state.noted.formUnion(ids)
        }
    }
}

struct UnreadableKeys: WithdrawnKeyRecord {
    struct Failure: Error {}
    func ids() throws -> Set<String> { throw Failure() }
    func add(_ ids: Set<String>) {}
}
