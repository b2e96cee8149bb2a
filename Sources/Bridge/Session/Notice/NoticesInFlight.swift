import Synchronization

/// The notices that a node is delivering now, so that a receiver that does not answer holds up no other.
final class NoticesInFlight: Sendable {
    private struct State {
        var counts: [ClientID: Int] = [:]
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var waiters = 0
    }

    /// Notices under way to one receiver at a time.
    static let limitPerClient = 8

    private let state = Mutex(State())

    /// Receivers that are to be left alone for now.
    var busy: Set<ClientID> {
        state.withLock { Set($0.counts.filter { $0.value >= Self.limitPerClient }.keys) }
    }

    func begin(_ client: ClientID) { state.withLock { $0.counts[client, default: 0] += 1 } }

    func end(_ client: ClientID) {
        let waiting: [Int: CheckedContinuation<Void, Never>] = state.withLock { state in
            let count = state.counts[client, default: 1] - 1
            state.counts[client] = count > 0 ? count : nil
            guard state.counts.isEmpty else { return [:] }
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Comes back when nothing is under way, or the task is cancelled: a node that is never idle keeps no caller
    /// waiting.
    func becameIdle() async {
        let waiter = state.withLock { state in
            state.waiters += 1
            return state.waiters
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.counts.isEmpty, !Task.isCancelled else { return true }
                    state.waiting[waiter] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
        }
    }
}

/// A queue of notices that is worked off without one waiting for another.
package protocol NoticeQueueWorker: AnyObject, Sendable {
    associatedtype Notice: Sendable
    /// Tells the store which clients this node has to tell of ends now, and which of them no longer.
    func subscribe() async throws
    /// Takes what is due and whose receiver is free.
    func takeDue() async throws -> [Notice]
    func deliver(_ notice: Notice) async
}

extension NoticeQueueWorker {
    /// Works until the signals end; what is under way then is finished.
    /// - Parameter failed: told what keeps the queue from being read, once until it can be read again: an outage is
    ///   asked after every second, and whenever a delivery ends.
    package func work(
        on signals: some AsyncSequence<Void, Never> & Sendable, failed: @escaping @Sendable (any Error) -> Void
    ) async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in signals { wake.yield() }
                wake.finish()
            }
            var isFailing = false
            for await _ in wakes {
                do {
                    while !Task.isCancelled, case let notices = try await takeDue(), !notices.isEmpty {
                        for notice in notices {
                            group.addTask {
                                await self.deliver(notice)
                                // Its receiver is free for the next one.
                                wake.yield()
                            }
                        }
                    }
                    isFailing = false
                } catch {
                    if !isFailing { failed(error) }
                    isFailing = true
                }
            }
        }
    }

    /// Delivers what is due now, and comes back when that is done.
    /// - Returns: how many notices were in hand.
    @discardableResult
    package func deliverDue() async throws -> Int {
        let notices = try await takeDue()
        await withTaskGroup { group in
            for notice in notices { group.addTask { await self.deliver(notice) } }
        }
        return notices.count
    }
}
