package import Bridge

/// Why a connection could not carry a command. Whether the server ran the command is not known.
enum RedisConnectionError: Error, Hashable, Sendable {
    case notConnected
    case closed
    case timedOut
    /// As many commands are waiting as are allowed to.
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

extension RedisConnectionError: CustomStringConvertible {
    /// For an operator, to whom it is told.
    var description: String {
        switch self {
        case .notConnected: "there is no connection; nobody answers there"
        case .closed: "the connection was closed"
        case .timedOut: "no answer in time"
        case .queueFull: "as many commands wait as are allowed to"
        case .stalled: "answers whose time has passed are still owed"
        case .protocolError: "what answers does not speak Redis's protocol"
        case .replyTooLarge: "an answer is too large"
        case .wrongRole: "what answers is not the master"
        case .tooManyRedirects: "nodes of the cluster send each command on to another"
        case .unexpectedReply: "an answer that was not expected"
        case .refused(let refusal): "\(refusal)"
        }
    }
}

extension StorageError {
    /// Redis cannot decide, for whatever reason.
    package static func redis(_ error: any Error) -> StorageError {
        if case .refused(let refusal)? = error as? RedisConnectionError { return .unavailable("\(refusal)") }
        return .unavailable("Redis: \(error)")
    }
}
