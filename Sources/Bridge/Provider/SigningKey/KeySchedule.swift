/// What becomes of the keys of one algorithm when one is added or taken away (contract §2).
///
/// Held at any time: the youngest key whose time has come signs, and the last one has no end. Each before it verifies
/// until nothing that it made before the next one took over can be alive.
struct KeySchedule: Sendable {
    private let algorithm: KeyAlgorithm
    private let now: Timestamp
    private let before: [SealedSigningKey]
    private var keys: [SealedSigningKey]

    /// - Parameter keys: may be of any algorithm; the others stay as they are.
    init(_ keys: [SealedSigningKey], of algorithm: KeyAlgorithm, at now: Timestamp) {
        self.algorithm = algorithm
        self.now = now
        before = keys.filter { $0.algorithm == algorithm }
        self.keys = before
    }

    /// Those whose signatures are believed, in the order in which they sign.
    var live: [SealedSigningKey] {
        keys.filter { $0.isLive(at: now) }.sorted {
            ($0.signsFrom, $0.id) < ($1.signsFrom, $1.id)
        }
    }

    /// The key that signs now.
    var signing: SealedSigningKey? { live.last { $0.hasBegun(at: now) } }

    /// Keys that are new, or whose times changed.
    var changes: [SealedSigningKey] { keys.filter { !before.contains($0) } }

    mutating func add(_ key: SealedSigningKey) {
        keys.append(key)
        settle()
    }

    /// Sees to it that some key signs now.
    /// - Parameter make: a key that may.
    mutating func ensureSigner(_ make: () throws -> SealedSigningKey) rethrows {
        guard signing == nil else { return }
        let key = try make()
        add(key)
        begin(key.id)
    }

    /// Has a key sign from now on that was waiting until every node has it.
    mutating func release(_ id: String) {
        if live.contains(where: { $0.id == id && !$0.hasBegun(at: now) }) { begin(id) }
    }

    /// Stops keys from being believed. If one of them was signing, the next in line signs at once, or a new one.
    ///
    /// A key that has signed before never signs again: a thief of its successor may have it too.
    /// - Parameter make: a key that signs from now on.
    mutating func withdraw(_ ids: Set<String>, replacement make: () throws -> SealedSigningKey) rethrows {
        let losesSigner = signing.map { ids.contains($0.id) } ?? true
        change(ids) { [now] key in key.withdrawnAt = key.withdrawnAt ?? now }
        guard losesSigner else { return }
        if let next = live.first(where: { !$0.hasBegun(at: now) }) {
            begin(next.id)
        } else {
            let key = try make()
            add(key)
            begin(key.id)
        }
    }

    /// Puts a key after all that have begun, by whichever node's clock they did.
    private mutating func begin(_ id: String) {
        let last = live.last { $0.id != id && $0.hasBegun(at: now) }?.signsFrom
        let start = max(now, last.map { $0 + .milliseconds(1) } ?? now)
        change([id]) { key in
            key.signsFrom = start
            key.signsWhenKnown = false
        }
    }

    private mutating func change(_ ids: Set<String>, _ body: (inout SealedSigningKey) -> Void) {
        for index in keys.indices where ids.contains(keys[index].id) { body(&keys[index]) }
        settle()
    }

    private mutating func settle() {
        let live = live
        var ends: [String: Timestamp?] = [:]
        for (key, next) in zip(live, live.dropFirst()) {
            // Never earlier than was once said: others may rely on it.
            let end = next.signsFrom + algorithm.longestUse
            ends[key.id] = max(key.retiresAt ?? end, end)
        }
        if let last = live.last { ends[last.id] = .some(nil) }
        for index in keys.indices {
            if let end = ends[keys[index].id] { keys[index].retiresAt = end }
        }
    }
}
