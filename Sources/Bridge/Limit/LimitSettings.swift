/// How often things may happen (contract §12).
package struct LimitSettings: Sendable {
    /// Issues per device of a user.
    package var issuePerDevice = TokenBucket(burst: 5, perHour: 60)
    /// Issues per user.
    package var issuePerSubject = TokenBucket(burst: 15, perHour: 180)
    /// Issues per network, /24 or /64.
    package var issuePerNetwork = TokenBucket(burst: 60, perHour: 1200)
    /// Issues per app; `nil` sets no limit.
    package var issuePerClient: TokenBucket?
    /// Authorizations that one user gives or declines.
    package var authorizationPerSubject = TokenBucket(burst: 60, perHour: 1200)
    /// Refreshes of one user's app and web sessions.
    package var refreshPerSubject = TokenBucket(burst: 60, perHour: 1200)
    /// What one client may take of them: an app and its web view together leave a third to the user's others.
    package var refreshPerSubjectAndClient: TokenBucket { refreshPerSubject.divided(by: 3) }
    /// Living web sessions that one device has at one website by its secret.
    package var webSessionsPerDevice = 10
    /// Redemptions that fail, per network.
    package var failedRedemptionPerNetwork = TokenBucket(perMinute: 60)
    /// Bearers that are refused, per network.
    package var refusedBearerPerNetwork = TokenBucket(perMinute: 60)
    /// Sign-ins that fail, per account and per network, or per known browser.
    package var failedSignIn = TokenBucket(perMinute: 5)
    /// Wrong passwords a day, per account or per known browser; all known browsers of an account have
    /// ``knownBrowsersGuesses`` times as many together.
    package var wrongPasswordPerDay = TokenBucket(perDay: 100)
    /// Wrong codes of a second factor a day, counted as wrong passwords are. Three codes of a million are good at a
    /// time, so a thief who has the password needs some twenty years for an even chance.
    package var wrongCodePerDay = TokenBucket(perDay: 30)
    /// Right passwords, per account in all browsers that are known for it, and in all others: each a fifth of what one
    /// node can check.
    package var rightPasswordPerAccount = TokenBucket(perMinute: 120)
    /// Answers of upstream providers that name no user or are still looked at, per network.
    package var upstreamAnswerPerNetwork = TokenBucket(perMinute: 60)
    /// Pages that show a code for a phone, per network.
    package var phonePagesPerNetwork = TokenBucket(perMinute: 10)
    /// Requests by which one user's apps approve sign-ins on other devices, as many by which they decline them, and as
    /// many by which one app asks for what it may not.
    package var crossDevicePerSubject = TokenBucket(perMinute: 30)
    /// Authorization requests pushed by a client that authenticates.
    package var pushedRequestPerClient = TokenBucket(perMinute: 600)
    /// Authorization requests pushed for a public client, per network.
    package var pushedRequestPerNetwork = TokenBucket(perMinute: 60)
    /// Device authorizations started by a client that authenticates.
    package var deviceAuthorizationPerClient = TokenBucket(perMinute: 600)
    /// Device authorizations started for a public client, per network.
    package var deviceAuthorizationPerNetwork = TokenBucket(perMinute: 30)
    /// Tokens that a client is given for itself.
    package var clientCredentialsPerClient = TokenBucket(perMinute: 600)
    /// Refresh cookies of web sessions that were never issued, per network.
    package var unknownRefreshPerNetwork = TokenBucket(perMinute: 60)
    /// Client authentications that fail, per network.
    package var failedClientPerNetwork = TokenBucket(perMinute: 60)
    /// Token requests that are refused and written down, per network.
    package var refusedTokenRequestPerNetwork = TokenBucket(perMinute: 60)
    /// Sign-ins by phone that begin, per network.
    package var selfIssuedStartPerNetwork = TokenBucket(perMinute: 30)
    /// Answers of phones that are refused, per network.
    package var refusedSelfIssuedPerNetwork = TokenBucket(perMinute: 60)
    /// Accounts that come into being by a phone's key, per network.
    package var selfIssuedAccountPerNetwork = AttemptWindow(count: 5, per: .seconds(3600), block: .seconds(600))

    /// Settings with every default.
    package init() {}

    /// - Returns: none for a request without an address, such as the command line's.
    func networkKey(_ scope: String, of origin: RequestOrigin, _ bucket: TokenBucket) -> [RateLimitKey] {
        guard let network = origin.address?.limitNetwork else { return [] }
        return [RateLimitKey(scope: scope, value: network.description, bucket: bucket)]
    }

    /// As ``networkKey(_:of:_:)``, and for the networks around it: the holder of one /64 of IPv6 most likely has the
    /// networks next to it.
    func widerNetworkKeys(_ scope: String, of origin: RequestOrigin, _ bucket: TokenBucket) -> [RateLimitKey] {
        let wider = (origin.address?.widerNetworks ?? []).map { network, factor in
            RateLimitKey(scope: scope, value: network.description, bucket: bucket.multiplied(by: factor))
        }
        return networkKey(scope, of: origin, bucket) + wider
    }

    /// As ``widerNetworkKeys(_:of:_:)``, for attempts until a window closes.
    func widerNetworkKeys(_ scope: String, of origin: RequestOrigin, _ window: AttemptWindow) -> [RateLimitKey] {
        guard let address = origin.address else { return [] }
        let networks = [(network: address.limitNetwork, factor: 1)] + address.widerNetworks
        return networks.map { network, factor in
            RateLimitKey(scope: scope, value: network.description, window: window.multiplied(by: factor))
        }
    }
}
