/// A value that must not be printed: interpolating, describing or reflecting it shows `<redacted>`.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    package init(_ value: Value) { self.value = value }

    /// The value itself. Each call is a place to review: what leaves here must not reach a log, store or error.
    package func expose() -> Value { value }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(reflecting: "<redacted>") }
}
