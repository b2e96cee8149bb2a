/// Why a store could not answer. Never shown outside; the outside sees `temporarily_unavailable`.
package enum StorageError: Error, Sendable, CustomStringConvertible {
    /// The engine is away, full, read-only or too slow: nothing was changed, or the change may not have been made.
    case unavailable(String)
    /// Stored bytes do not mean what they should.
    case corrupt(String)

    // Engine messages may quote statement values, so they are for the debugger (`debugDescription`) only.
    package var description: String {
        switch self {
        case .unavailable: "storage unavailable"
        case .corrupt: "storage corrupt"
        }
    }
}
