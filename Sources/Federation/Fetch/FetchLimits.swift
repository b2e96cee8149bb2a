/// What a trusted issuer may cost: how long, how much, how often.
package struct FetchLimits: Sendable, Hashable {
    /// For one request or one discovery, until the last byte.
    package var timeout: Duration
    /// The size of one answer or key file.
    package var maximumBytes = 256 * 1024
    /// How many keys one key set may have.
    package var maximumKeys = 64
    /// How long fetched keys are used before nothing is verified with them without fetching them again: the longest
    /// that a withdrawn key is accepted while its issuer can be reached.
    package var refreshInterval = Duration.seconds(60)
    /// From this age on, a use of the keys has them fetched again meanwhile, so that a busy issuer's never expire.
    package var refreshAhead = Duration.seconds(30)
    /// The least time between two fetches, failed ones included.
    package var refetchFloor = Duration.seconds(30)
    /// How long fetched keys are used while the issuer cannot be reached. A key that the issuer withdrew in that time
    /// is still accepted: the price of staying up when it is down.
    package var staleLifetime = Duration.seconds(24 * 3600)
    /// How long an answer of the introspection endpoint is believed.
    package var introspectionLifetime = Duration.seconds(30)
    /// How long a token that is not active is not asked about again.
    package var inactiveLifetime = Duration.seconds(5)
    /// How many of those are remembered.
    package var maximumInactive = 1000

    package init(timeout: Duration = .seconds(5)) { self.timeout = timeout }
}
