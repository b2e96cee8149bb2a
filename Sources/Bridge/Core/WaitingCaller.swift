package import OAuth2
import Synchronization

/// Whoever waits for what a task does, such as the other end of a connection, and may have gone before it is done
/// (ADR-0087).
package final class WaitingCaller: Sendable {
    /// That of the task which runs; `nil` where nobody's going would be known of, as for what the service does by
    /// itself.
    @TaskLocal package static var current: WaitingCaller?

    private let isGone = Atomic(false)

    package init() {}

    /// Notes that it does not wait any more.
    package func leave() { isGone.store(true, ordering: .relaxed) }

    /// Whether it has left, as far as that was noted by now; any thread may ask.
    package var hasLeft: Bool { isGone.load(ordering: .relaxed) }
}

/// Thrown in the place of a use of something that has one, because nobody waits for what it gives: nothing was used up.
///
/// No refusal of the request, which nobody would read of, so no event tells of it; nor a store's failure.
package struct CallerGone: Error {
    package init() {}

    /// What is told to whoever closed one direction of the connection only, and reads on.
    package static var refusal: OAuthError {
        OAuthError(.invalidRequest, "the connection was closed before the answer, so nothing was used up")
    }
}
