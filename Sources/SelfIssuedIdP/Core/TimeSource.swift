public import Foundation

/// Where the current instant comes from: a parameter, so that tests decide what time it is.
public struct TimeSource: Sendable {
    private let read: @Sendable () -> Date

    /// A clock of your own.
    public init(_ read: @escaping @Sendable () -> Date) { self.read = read }

    /// Seconds since 1970, as tokens write it.
    public func seconds() -> Int64 { Int64(read().timeIntervalSince1970) }

    /// The device's clock.
    public static let system = TimeSource { Date() }
}
