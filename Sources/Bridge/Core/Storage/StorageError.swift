/// Why a store could not answer. Never shown outside; the outside sees `temporarily_unavailable`.
package enum StorageError: Error, Sendable, CustomStringConvertible {
    /// The engine is away, full, read-only or too slow: nothing was changed.
    case unavailable(String)
    /// As ``unavailable(_:)``, where the change may have been made all the same: the answer to its commit was lost.
    case undecided(String)
    /// Stored bytes do not mean what they should.
    case corrupt(String)

    // Engine messages may quote statement values, so they are for the debugger (`debugDescription`) only.
    package var description: String {
        switch self {
        case .unavailable: "storage unavailable"
        case .undecided: "storage unavailable; the change may have been made"
        case .corrupt: "storage corrupt"
        }
    }

    /// What it is about, for an operator. Only where it is known that it quotes no values, as Redis's does not.
    package var text: String {
        switch self {
        case .unavailable(let text), .undecided(let text), .corrupt(let text): text
        }
    }
}
