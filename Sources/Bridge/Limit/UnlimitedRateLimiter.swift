/// Lets everything pass: for load tests, by an explicit switch only.
package struct UnlimitedRateLimiter: RateLimiter {
    package init() {}
    package func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    package func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
}
