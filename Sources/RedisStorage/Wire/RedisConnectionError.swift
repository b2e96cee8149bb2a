package import Bridge

/// Why a connection could not carry a command. Whether the server ran the command is not known.
package enum RedisConnectionError: Error, Hashable, Sendable {
    case notConnected
    case closed
    case timedOut
    /// As many commands wait as are allowed to.
    case queueFull
    /// The server owes replies whose deadline has passed; commands are refused until it answers.
    case stalled
    case protocolError
    case replyTooLarge
    case wrongRole
    case tooManyRedirects
    case unexpectedReply
    case refused(RedisServerError)
}

extension StorageError {
    /// Redis cannot decide, for whatever reason.
    package static func redis(_ error: any Error) -> StorageError {
        if case .refused(let refusal)? = error as? RedisConnectionError { return .unavailable("\(refusal)") }
        return .unavailable("Redis: \(error)")
    }
}
