import Synchronization

/// A value that is read on every request and replaced as a whole, on SIGHUP for instance.
package final class Reloadable<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    package init(_ value: Value) { storage = Mutex(value) }

    package var current: Value { storage.withLock { $0 } }

    package func replace(with value: Value) { storage.withLock { $0 = value } }
}
