extension LimitSettings {
    /// Issues: by a user's device, by user, by network and, where that is set, by app.
    func issueKeys(_ bearer: BearerIdentity, origin: RequestOrigin) -> [RateLimitKey] {
        let subject = bearer.subject.rawValue
        // Its length goes ahead, so that no two users and devices together make one key.
        let device = "\(subject.utf8.count) \(subject) \(bearer.deviceID ?? "")"
        var keys = [
            RateLimitKey(scope: "issue.device", value: device, bucket: issuePerDevice),
            RateLimitKey(scope: "issue.subject", value: subject, bucket: issuePerSubject),
        ]
        keys += networkKey("issue.network", of: origin, issuePerNetwork)
        if let issuePerClient {
            keys.append(RateLimitKey(scope: "issue.client", value: bearer.clientID.rawValue, bucket: issuePerClient))
        }
        return keys
    }

    /// Redemptions that fail, per network.
    func failedRedemptionKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey(Self.failedRedemptions, of: origin, failedRedemptionPerNetwork)
    }

    /// What ``failedRedemptionKeys(origin:)`` counts: the reason of `rate_limit.exceeded`.
    static let failedRedemptions = "redeem.network"

    /// Tries of one token's code, of which the last is the token's end.
    static let typedCodeTries = 5

    func typedCodeKeys(of id: TokenID) -> [RateLimitKey] {
        [RateLimitKey(scope: "redeem.code", value: id.rawValue, bucket: TokenBucket(perMinute: Self.typedCodeTries))]
    }
}
