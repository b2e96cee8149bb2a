extension LimitSettings {
    /// Pages that show a code, per network.
    func phonePageKeys(origin: RequestOrigin) -> [RateLimitKey] {
        widerNetworkKeys("phone_sign_in.network", of: origin, phonePagesPerNetwork)
    }

    /// For a computer that was reported: one report closes it for a quarter of an hour.
    static func reportedKeys(_ address: NetworkAddress?) -> [RateLimitKey] {
        guard let address else { return [] }
        return [
            RateLimitKey(
                scope: "phone_sign_in.reported",
                // One line of IPv6 is a whole network.
                value: address.family == .v4 ? address.description : address.limitNetwork.description,
                window: AttemptWindow(count: 1, per: .seconds(900), block: .seconds(900)))
        ]
    }

    /// What one user's apps with the right to approve may ask: declining and reporting apart, which must never wait for
    /// approvals that somebody has used up.
    func approverKey(_ subject: Subject, for act: PhoneApprovers.Act) -> RateLimitKey {
        let scope =
            switch act {
            case .approval, .keyLinking: "cross_device.subject"
            case .denial: "cross_device.denial"
            }
        return RateLimitKey(scope: scope, value: subject.rawValue, bucket: crossDevicePerSubject)
    }

    /// What one app may ask for one user without the right to it.
    func refusedApproverKey(_ bearer: BearerIdentity) -> RateLimitKey {
        RateLimitKey(
            // No client's id has a space.
            scope: "cross_device.client", value: "\(bearer.clientID.rawValue) \(bearer.subject.rawValue)",
            bucket: crossDevicePerSubject)
    }

    /// Questions of one page for news.
    static func pollKey(_ key: String) -> RateLimitKey {
        RateLimitKey(
            scope: "phone_sign_in.poll", value: key, bucket: TokenBucket(burst: 1, refillInterval: .seconds(1)))
    }

    /// Typed eight-letter codes: five wrong ones, and a bound on all, which many at once cannot outrun.
    static func userCodeKeys(_ subject: Subject) -> (wrong: RateLimitKey, all: RateLimitKey) {
        let quarter = Duration.seconds(900)
        return (
            RateLimitKey(
                scope: "cross_device.user_code", value: subject.rawValue,
                window: AttemptWindow(count: 5, per: quarter, block: quarter)),
            RateLimitKey(
                scope: "cross_device.user_codes", value: subject.rawValue,
                window: AttemptWindow(count: 30, per: quarter, block: quarter))
        )
    }

    /// Wrong digits of ``ShownSignInCodes``, per user name, whether there is such a user or not, and per network.
    func shownCodeKeys(_ username: Username?, origin: RequestOrigin) -> [RateLimitKey] {
        var keys: [RateLimitKey] = []
        if let username {
            let hour = Duration.seconds(3600)
            keys.append(
                RateLimitKey(
                    scope: "sign_in_code.account", value: username.key,
                    window: AttemptWindow(count: 10, per: hour, block: hour), isOfTypedName: true))
        }
        let span = Duration.seconds(600)
        return keys
            + widerNetworkKeys(
                "sign_in_code.network", of: origin, AttemptWindow(count: 20, per: span, block: span))
    }
}
