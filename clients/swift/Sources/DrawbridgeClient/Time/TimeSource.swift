public import Foundation

/// Where the current instant comes from: a parameter, so that tests decide what time it is.
public struct TimeSource: Sendable {
    private let read: @Sendable () -> Date

    /// A clock of your own.
    public init(_ read: @escaping @Sendable () -> Date) { self.read = read }

    /// The current instant.
    public func now() -> Date { read() }

    /// The device's clock.
    public static let system = TimeSource { Date() }
}
