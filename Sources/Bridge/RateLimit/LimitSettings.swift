/// How often things may happen (contract §12).
package struct LimitSettings: Sendable {
    /// Issues per user.
    package var issuePerSubject: TokenBucket
    /// Issues per network, /24 or /64.
    package var issuePerNetwork: TokenBucket
    /// Issues per app; `nil` sets no limit.
    package var issuePerClient: TokenBucket?
    /// Redemptions that fail, per network.
    package var failedRedemptionPerNetwork: TokenBucket
    /// Bearers that are refused, per network.
    package var refusedBearerPerNetwork: TokenBucket
    /// Sign-ins that fail, per account and per network.
    package var failedSignIn: TokenBucket
    /// Authorization requests that a client pushes.
    package var pushedRequestPerClient: TokenBucket
    /// Client authentications that fail, per network.
    package var failedClientPerNetwork = TokenBucket(perMinute: 60)
    /// Token requests that are refused and written down, per network.
    package var refusedTokenRequestPerNetwork = TokenBucket(perMinute: 60)

    package init(
        issuePerSubject: TokenBucket = TokenBucket(burst: 5, perHour: 60),
        issuePerNetwork: TokenBucket = TokenBucket(burst: 60, perHour: 1200), issuePerClient: TokenBucket? = nil,
        failedRedemptionPerNetwork: TokenBucket = TokenBucket(perMinute: 60),
        refusedBearerPerNetwork: TokenBucket = TokenBucket(perMinute: 60),
        failedSignIn: TokenBucket = TokenBucket(perMinute: 5),
        pushedRequestPerClient: TokenBucket = TokenBucket(perMinute: 60)
    ) {
        self.issuePerSubject = issuePerSubject
        self.issuePerNetwork = issuePerNetwork
        self.issuePerClient = issuePerClient
        self.failedRedemptionPerNetwork = failedRedemptionPerNetwork
        self.refusedBearerPerNetwork = refusedBearerPerNetwork
        self.failedSignIn = failedSignIn
        self.pushedRequestPerClient = pushedRequestPerClient
    }

    func issueKeys(subject: Subject, clientID: ClientID, origin: RequestOrigin) -> [RateLimitKey] {
        var keys = [RateLimitKey(scope: "issue.subject", value: subject.rawValue, bucket: issuePerSubject)]
        if let network = origin.address?.limitNetwork {
            keys.append(RateLimitKey(scope: "issue.network", value: network.description, bucket: issuePerNetwork))
        }
        if let issuePerClient {
            keys.append(RateLimitKey(scope: "issue.client", value: clientID.rawValue, bucket: issuePerClient))
        }
        return keys
    }

    func failedRedemptionKeys(origin: RequestOrigin) -> [RateLimitKey] {
        guard let network = origin.address?.limitNetwork else { return [] }
        return [
            RateLimitKey(
                scope: "redeem.network", value: network.description, bucket: failedRedemptionPerNetwork)
        ]
    }

    func pushedRequestKeys(_ client: ClientID) -> [RateLimitKey] {
        [RateLimitKey(scope: "pushed_request.client", value: client.rawValue, bucket: pushedRequestPerClient)]
    }

    func failedSignInKeys(username: Username?, origin: RequestOrigin) -> [RateLimitKey] {
        var keys: [RateLimitKey] = []
        if let username {
            keys.append(RateLimitKey(scope: "sign_in.account", value: username.key, bucket: failedSignIn))
        }
        if let network = origin.address?.limitNetwork {
            keys.append(RateLimitKey(scope: "sign_in.network", value: network.description, bucket: failedSignIn))
        }
        return keys
    }

    /// Keys for refused bearers: each refusal costs a signature check and an audit row, so they are counted.
    package func refusedBearerKeys(origin: RequestOrigin) -> [RateLimitKey] {
        guard let network = origin.address?.limitNetwork else { return [] }
        return [RateLimitKey(scope: "bearer.network", value: network.description, bucket: refusedBearerPerNetwork)]
    }

    func failedClientKeys(origin: RequestOrigin) -> [RateLimitKey] {
        guard let network = origin.address?.limitNetwork else { return [] }
        return [RateLimitKey(scope: "client.network", value: network.description, bucket: failedClientPerNetwork)]
    }

    func refusedTokenRequestKeys(origin: RequestOrigin) -> [RateLimitKey] {
        guard let network = origin.address?.limitNetwork else { return [] }
        return [
            RateLimitKey(scope: "token.network", value: network.description, bucket: refusedTokenRequestPerNetwork)
        ]
    }
}
