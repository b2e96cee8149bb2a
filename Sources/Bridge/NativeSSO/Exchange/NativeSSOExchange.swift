import OAuth2

/// Turns a device secret and a token of one app into tokens or cookies of another client (contract §5.4).
package final class NativeSSOExchange: Sendable {
    /// Also explains an exchange without performing it.
    let inquiry: NativeSSOInquiry
    private let opening: NativeSSOOpening
    private let devices: DeviceSecrets
    private let gate: LimitGate
    private let refusals: RefusalLog

    package init(
        inquiry: NativeSSOInquiry, opening: NativeSSOOpening, devices: DeviceSecrets, limiter: any RateLimiter,
        refusals: RefusalLog
    ) {
        self.inquiry = inquiry
        self.opening = opening
        self.devices = devices
        gate = LimitGate(limiter, refusals: refusals)
        self.refusals = refusals
    }

    /// What the app sent.
    package struct ExchangeRequest: Sendable {
        package let kind: NativeSSOFacts.SubjectToken.Kind
        package let subjectToken: Secret<String>
        package let deviceSecret: Secret<String>

        package init(
            kind: NativeSSOFacts.SubjectToken.Kind, subjectToken: Secret<String>, deviceSecret: Secret<String>
        ) {
            self.kind = kind
            self.subjectToken = subjectToken
            self.deviceSecret = deviceSecret
        }
    }

    /// - Throws: `OAuthError` by contract §11; ``StorageError`` when a store cannot decide.
    package func exchange(_ exchange: ExchangeRequest, for request: TokenRequest) async throws -> TokenResponse {
        let secret = OpaqueSecret(exchange.deviceSecret.expose(), kind: .deviceSecret)
        let known = try await inquiry.presented(secret)
        let settings = try await inquiry.settings()
        try await checkLimit(of: known?.device, settings: settings, request)
        // Ahead of the check, which ends a device whose secret was replaced.
        if known != nil { try await request.useUpProof() }
        let facts = try await inquiry.facts(
            exchange, secret: secret, known: known, settings: settings, request: request)
        switch NativeSSOCheck.decide(facts) {
        case .refused(let flaw, let all):
            throw try await refuse(flaw, all: all, known: known?.device, facts, request)
        case .passes(let scope):
            // The check saw both, or it would not have passed.
            guard let secret, let session = facts.session else {
                throw try await refuse(.secretUnknown, all: [], known: known?.device, facts, request)
            }
            let granted = NativeSSOOpening.Granted(secret: secret, session: session, scope: scope, facts: facts)
            do {
                return try await opening.open(granted, request)
            } catch let flaw as NativeSSORefusal {
                throw try await refuse(flaw, all: [flaw], known: facts.secret?.device, facts, request)
            }
        }
    }

    /// Ten a minute for each device, then none for a while; unknown secrets are counted by sender.
    ///
    /// The settings are part of what is counted for: once they are others a new count begins, for those too who are
    /// blocked, and nothing else begins one.
    private func checkLimit(
        of device: DeviceSecret?, settings: NativeSSOSettings, _ request: TokenRequest
    ) async throws {
        let window = settings.exchangeWindow
        let rule = "\(window.count) \(window.block.inMilliseconds)"
        let key =
            if let device {
                RateLimitKey(scope: "exchange.device", value: "\(device.id.rawValue) \(rule)", window: window)
            } else {
                RateLimitKey(
                    scope: "exchange.unknown", value: "\(request.client.id) \(request.origin.networkName) \(rule)",
                    window: window)
            }
        try await gate.pass(
            [key], of: device?.subject, client: request.client.id, origin: request.origin, at: request.at,
            else: .slowDown, "too many exchanges with this device secret")
    }

    private func refuse(
        _ flaw: NativeSSORefusal, all: [NativeSSORefusal], known: DeviceSecret?, _ facts: NativeSSOFacts,
        _ request: TokenRequest
    ) async throws -> OAuthError {
        var detail = JSONObjectWriter()
        if let known { detail.add(AuditDetail.deviceSecretID, known.id.rawValue) }
        detail.add("flaws", all.map(\.rawValue))
        try await refusals.record(
            AuditEvent(
                at: request.at, type: .deviceSecretRefused, outcome: .failure, reason: flaw.rawValue,
                subject: known?.subject ?? facts.subjectToken?.subject, clientID: facts.subjectToken?.clientID,
                targetClientID: request.client.id, sessionID: facts.session?.id, origin: request.origin,
                detail: detail.finishedText()))
        // A rotated secret is still held: one of the two holders is a thief.
        if let known, all.contains(.secretReplayed) {
            _ = try await devices.revoke(known.id, reason: .replayed, origin: request.origin, at: request.at)
        }
        return OAuthError(
            flaw.code, flaw.publicDescription, detail: flaw.rawValue,
            challenge: flaw == .authenticationTooWeak ? request.client.authenticationChallenge : nil)
    }
}
