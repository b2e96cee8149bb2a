import Synchronization

/// Calls an action once, when everyone expected has arrived.
final class ReadyLatch: Sendable {
    private let missing: Mutex<Int>
    private let action: @Sendable () async -> Void

    init(expecting count: Int, action: @escaping @Sendable () async -> Void) {
        missing = Mutex(count)
        self.action = action
    }

    func arrive() async {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { await action() }
    }
}
