package import OAuth2

/// Devices that wait for a user to let them in (RFC 8628).
///
/// What was approved is an authorization code of the same digest: it moves, ends and is used up as any other.
package protocol DeviceAuthorizationStore: Sendable {
    /// - Parameter event: `nil` where there were too many of them to write down.
    /// - Returns: `false` when another device has this user code; nothing was written then.
    func recordDeviceAuthorization(_ authorization: DeviceAuthorization, event: AuditEvent?) async throws -> Bool

    /// Finds one by what the device holds, in whatever state.
    func deviceAuthorization(digest: String) async throws -> DeviceAuthorizationState?

    /// Finds one by what its user reads off the device, in whatever state.
    func deviceAuthorization(userCode: String) async throws -> DeviceAuthorizationState?

    /// Lets a waiting device in, in one transaction with what it may redeem: only one answer counts, however many come.
    /// - Parameter code: its digest is the device's; the session that it is granted in must live.
    func approveDevice(_ code: IssuedAuthorizationCode, event: AuditEvent) async throws -> DeviceDecisionOutcome

    /// Sends a waiting device away.
    func denyDevice(digest: String, at now: Timestamp, event: AuditEvent) async throws -> DeviceDecisionOutcome

    /// - Returns: how many, at most `limit` of them.
    func purgeDeviceAuthorizations(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// A device's request, as it is kept.
package struct DeviceAuthorization: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of the device code.
    package let digest: String
    /// ``DeviceUserCode/digest(_:)``.
    package let userCode: String
    package let clientID: ClientID
    /// What it gets at most.
    package let scope: Scope
    /// The network that it asked from; `nil` where that is not known.
    package let network: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        digest: String, userCode: String, clientID: ClientID, scope: Scope, network: String? = nil,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.digest = digest
        self.userCode = userCode
        self.clientID = clientID
        self.scope = scope
        self.network = network
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// What events say of the device: which of those that wait for a code it is.
    /// - Parameter isAnswer: whether it is its user who acts, whose event has an address of its own.
    func auditDetail(ofAnswer isAnswer: Bool = false) -> String {
        var detail = JSONObjectWriter()
        if isAnswer { detail.add("asked_at", createdAt.rfc3339) }
        detail.add(AuditDetail.codeID, IssuedAuthorizationCode.publicName(digest))
        if isAnswer { detail.add("network", network) }
        return detail.finishedText()
    }
}

/// A stored device authorization, and what its user decided.
package struct DeviceAuthorizationState: Hashable, Sendable {
    /// What its user has said.
    package enum Decision: String, Hashable, Sendable, CaseIterable {
        case pending, approved, denied
    }

    package let authorization: DeviceAuthorization
    package let decision: Decision

    package init(authorization: DeviceAuthorization, decision: Decision) {
        self.authorization = authorization
        self.decision = decision
    }

    /// Whether its user may still answer.
    package func isWaiting(at now: Timestamp) -> Bool { decision == .pending && now < authorization.expiresAt }
}

/// Whether the user's decision was recorded.
package enum DeviceDecisionOutcome: Hashable, Sendable {
    case recorded
    /// Unknown, expired, or answered before.
    case gone
    /// The session that it was to be granted in has ended.
    case sessionEnded
}

/// Keeps devices to the interval that they were told, on all nodes together (RFC 8628 §3.5).
package protocol DevicePolls: Sendable {
    /// Counts a request of a waiting device; one that comes too soon lengthens its interval for good.
    /// - Parameters:
    ///   - digest: the device's.
    ///   - expiry: when it need not be remembered any more.
    func poll(_ digest: String, until expiry: Timestamp, at now: Timestamp) async throws -> DevicePoll
}

/// Whether a device that polls kept to its interval (RFC 8628 §3.5).
package struct DevicePoll: Hashable, Sendable {
    package let isTooSoon: Bool
    /// That the device must leave between two requests from now on.
    package let interval: Duration

    package init(isTooSoon: Bool, interval: Duration) {
        self.isTooSoon = isTooSoon
        self.interval = interval
    }

    /// What devices are told at first, and by how much it grows each time.
    package static let firstInterval = Duration.seconds(5)
    package static let step = Duration.seconds(5)
    /// A request that waits exactly so long may arrive a little sooner than the one before did.
    package static let tolerance = Duration.milliseconds(500)
}

/// A shared pacemaker that the database replaces while it is away.
package struct FailoverDevicePolls: DevicePolls {
    private let shared: any DevicePolls
    private let durable: any DevicePolls
    private let degradation: Degradation

    package init(_ shared: any DevicePolls, durable: any DevicePolls, degradation: Degradation) {
        self.shared = shared
        self.durable = durable
        self.degradation = degradation
    }

    package func poll(_ digest: String, until expiry: Timestamp, at now: Timestamp) async throws -> DevicePoll {
        try await degradation.run {
            try await shared.poll(digest, until: expiry, at: now)
        } orElse: { _ in
            try await durable.poll(digest, until: expiry, at: now)
        }
    }
}
