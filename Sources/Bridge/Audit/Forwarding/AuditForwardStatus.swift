import Synchronization

/// How forwarding to one target goes: for metrics, `/readyz` and the log.
package final class AuditForwardStatus: Sendable {
    /// How far the target is, at one moment.
    package struct State: Hashable, Sendable {
        package var isConnected = false
        /// Why the last connection ended; `nil` while all is well.
        package var problem: String?
        /// Events and notes handed over since the start, repeated ones included.
        package var delivered: Int64 = 0
        package var failures: Int64 = 0
        /// Events that retention removed before they could be forwarded.
        package var lost: Int64 = 0
        /// Events that the target is not known to have; `nil` before it was counted.
        package var lag: Int64?

        package init() {}
    }

    package let target: String
    private let state = Mutex(State())

    package init(target: String) { self.target = target }

    package var current: State { state.withLock { $0 } }

    package func connected() { state.withLock { $0.isConnected = true } }

    package func failed(_ problem: String) {
        state.withLock { state in
            state.isConnected = false
            state.problem = problem
            state.failures += 1
        }
    }

    func delivered(_ count: Int) {
        state.withLock { state in
            state.delivered += Int64(count)
            state.problem = nil
        }
    }

    func lost(_ count: Int64) {
        state.withLock { state in
            // The places between two rows may be anyone's.
            let (sum, isTooMuch) = state.lost.addingReportingOverflow(count)
            state.lost = isTooMuch ? .max : sum
        }
    }

    package func lags(by events: Int64) { state.withLock { $0.lag = events } }
}
