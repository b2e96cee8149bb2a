package import NIOCore

/// What one connection may cost.
package struct RedisLimits: Sendable {
    package var connectTimeout: TimeAmount = .seconds(1)
    /// Contract §4.3 asks for an answer; the outage rules give one when Redis takes longer than this.
    package var commandTimeout: TimeAmount = .milliseconds(250)
    /// How long after its deadline a reply may still come before the connection is given up.
    package var stallTime: TimeAmount = .seconds(2)
    /// Requests waiting or unanswered; more are refused at once. A quarter of a second at 40 000 requests a second.
    package var outstandingRequests = 10_000
    /// Of one reply. The slot map of a thousand nodes is about 100 KB.
    package var replyBytes = 1 << 20
    package var shortestBackoff: Duration = .milliseconds(50)
    package var longestBackoff: Duration = .seconds(5)

    package init() {}
}
