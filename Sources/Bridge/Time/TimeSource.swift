import Foundation

/// Where the current instant comes from: a parameter everywhere, so that tests decide what time it is.
package struct TimeSource: Sendable {
    private let read: @Sendable () -> Timestamp

    package init(_ read: @escaping @Sendable () -> Timestamp) { self.read = read }

    package func now() -> Timestamp { read() }

    /// The machine's clock. The only place that reads it.
    package static let system = TimeSource {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
