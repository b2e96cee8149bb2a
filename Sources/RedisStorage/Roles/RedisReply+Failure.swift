import Bridge

extension RedisReply {
    /// What a reply that is none of the expected ones means.
    var failure: StorageError {
        switch self {
        case .error(let error): .redis(RedisConnectionError.refused(error))
        default: .redis(RedisConnectionError.unexpectedReply)
        }
    }
}
