import Bridge
import Federation
import OAuth2
import Logging
import Testing

let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// Settings of an issuer with a shared secret.
func hmacSettings(_ change: (inout TrustedIssuerSettings) -> Void = { _ in }) -> TrustedIssuerSettings {
    var settings = TrustedIssuerSettings(
        issuer: TestToken.issuer, audiences: ["drawbridge"],
        verification: .hmac(secret: Secret(TestToken.hmacSecret), keyID: nil, algorithm: .hs256))
    change(&settings)
    return settings
}

/// The timeout is long, so that a busy machine fails no test; the tests of timeouts name their own.
func issuers(_ settings: TrustedIssuerSettings..., limits: FetchLimits = FetchLimits(timeout: .seconds(60)))
    async throws
    -> TrustedIssuers
{
    try await TrustedIssuers(settings, limits: limits, logger: quiet)
}

/// Expects "cannot be found out now".
func expectOutage(
    sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async {
    await #expect(sourceLocation: sourceLocation) {
        try await call()
    } throws: { error in
        if case StorageError.unavailable = error { true } else { false }
    }
}

extension TrustedIssuers {
    func authenticate(_ token: String, at now: Timestamp = TestToken.now) async throws -> BearerIdentity {
        try await authenticate(Secret(token), at: now)
    }

    /// Expects that the token is good and names `alice`.
    func expectAlice(
        _ token: String, at now: Timestamp = TestToken.now, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await authenticate(token, at: now).subject == "alice", sourceLocation: sourceLocation)
    }

    /// Expects the refusal given.
    func expect(
        _ refusal: BearerRefusal, of token: String, at now: Timestamp = TestToken.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: refusal, sourceLocation: sourceLocation) {
            try await authenticate(Secret(token), at: now)
        }
    }

    /// Expects "cannot be found out now".
    func expectUnavailable(
        _ token: String, at now: Timestamp = TestToken.now, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expectOutage(sourceLocation: sourceLocation) { _ = try await authenticate(Secret(token), at: now) }
    }
}
