/// A value that must not be printed: interpolating, describing or reflecting it shows `<redacted>`.
public struct Redacted<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Wraps a secret.
    public init(_ value: Value) { self.value = value }

    /// The value itself. Each call is a place to review.
    public func expose() -> Value { value }

    /// Never the value.
    public var description: String { "<redacted>" }

    /// Never the value.
    public var debugDescription: String { "<redacted>" }

    /// Never the value.
    public var customMirror: Mirror { Mirror(reflecting: "<redacted>") }
}
