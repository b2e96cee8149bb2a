import NIOCore
import Synchronization

/// Commands that one caller sent together, and the caller that waits for their replies.
///
/// It ends once, by its last reply, its deadline, cancellation or the end of the connection, whichever comes first.
/// Replies that come afterwards are still counted, because replies are told apart by their order alone.
final class RedisRequest: Sendable {
    private struct State {
        var continuation: CheckedContinuation<[RedisReply], any Error>?
        var earlyEnd: (any Error)?
        var isEnded = false
        var replies: [RedisReply] = []
        var received = 0
    }

    let bytes: ByteBuffer
    let deadline: NIODeadline
    private let replyCount: Int
    private let state = Mutex(State())

    init(_ commands: [RedisCommand], deadline: NIODeadline) {
        var bytes = ByteBuffer()
        for command in commands { command.encode(into: &bytes) }
        self.bytes = bytes
        self.deadline = deadline
        replyCount = commands.count
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Notes who waits.
    /// - Returns: whether there is still something to send; `false` when the caller was cancelled already.
    func wait(_ continuation: CheckedContinuation<[RedisReply], any Error>) -> Bool {
        let earlyEnd = state.withLock { state -> (any Error)? in
            if state.earlyEnd == nil { state.continuation = continuation }
            return state.earlyEnd
        }
        guard let earlyEnd else { return true }
        continuation.resume(throwing: earlyEnd)
        return false
    }

    func fail(_ error: any Error) {
        let waiting = state.withLock { state -> CheckedContinuation<[RedisReply], any Error>? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            if state.continuation == nil { state.earlyEnd = error }
            return state.continuation.take()
        }
        waiting?.resume(throwing: error)
    }

    /// Takes the next reply.
    /// - Returns: whether it was the last one.
    func receive(_ reply: RedisReply) -> Bool {
        let (isLast, finished) = state.withLock { state in
            state.received += 1
            let isLast = state.received == replyCount
            guard !state.isEnded else {
                return (isLast, nil as (CheckedContinuation<[RedisReply], any Error>?, [RedisReply])?)
            }
            state.replies.append(reply)
            guard isLast else { return (false, nil) }
            state.isEnded = true
            return (true, (state.continuation.take(), state.replies))
        }
        if let finished { finished.0?.resume(returning: finished.1) }
        return isLast
    }
}
