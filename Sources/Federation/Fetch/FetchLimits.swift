/// What a trusted issuer may cost: how long, how much, how often.
package struct FetchLimits: Sendable, Hashable {
    /// For one request or one discovery, until the last byte.
    package var timeout: Duration
    /// The size of one answer or key file.
    package var maximumBytes: Int
    /// How many keys one key set may have.
    package var maximumKeys: Int
    /// How long fetched keys are used before nothing is verified with them without fetching them again: the longest
    /// that a withdrawn key is accepted while its issuer can be reached.
    package var refreshInterval: Duration
    /// From this age on, a use of the keys has them fetched again meanwhile, so that a busy issuer's never expire.
    package var refreshAhead: Duration
    /// The least time between two fetches, failed ones included.
    package var refetchFloor: Duration
    /// How long fetched keys are used while the issuer cannot be reached. A key that the issuer withdrew in that time
    /// is still accepted: the price of staying up when it is down.
    package var staleLifetime: Duration
    /// How long an answer of the introspection endpoint is believed.
    package var introspectionLifetime: Duration
    /// How long a token that is not active is not asked about again.
    package var inactiveLifetime: Duration
    /// How many of those are remembered.
    package var maximumInactive: Int

    package init(
        timeout: Duration = .seconds(5), maximumBytes: Int = 256 * 1024, maximumKeys: Int = 64,
        refreshInterval: Duration = .seconds(60), refreshAhead: Duration = .seconds(30),
        refetchFloor: Duration = .seconds(30),
        staleLifetime: Duration = .seconds(24 * 3600), introspectionLifetime: Duration = .seconds(30),
        inactiveLifetime: Duration = .seconds(5), maximumInactive: Int = 1000
    ) {
        self.timeout = timeout
        self.maximumBytes = maximumBytes
        self.maximumKeys = maximumKeys
        self.refreshInterval = refreshInterval
        self.refreshAhead = refreshAhead
        self.refetchFloor = refetchFloor
        self.staleLifetime = staleLifetime
        self.introspectionLifetime = introspectionLifetime
        self.inactiveLifetime = inactiveLifetime
        self.maximumInactive = maximumInactive
    }
}
