import Bridge
import OAuth2
import Testing

/// The settings and errors of Native SSO, row by row (docs/native-sso.md).
@Suite struct NativeSSOTableTests {
    typealias Fixture = NativeSSOFixture

    // Error handling.

    @Test(arguments: [NativeSSORefusal.secretUnknown, .secretExpired, .secretRevoked, .hashMismatch, .sessionEnded])
    func `error invalid_grant: the secret or its session is over, sign in again`(flaw: NativeSSORefusal) {
        #expect(flaw.code == .invalidGrant)
        #expect(flaw.code.status == 400)
    }

    @Test func `error invalid_token: the id_token cannot be verified, with status 400`() {
        #expect(NativeSSORefusal.subjectTokenInvalid.code.rawValue == "invalid_token")
        #expect(NativeSSORefusal.subjectTokenInvalid.code.status == 400)
    }

    @Test func `error access_denied: cross-client SSO is not allowed`() {
        #expect(Fixture.flaw { $0.settings.allowsCrossClient = false } == .crossClientOff)
        #expect(NativeSSORefusal.crossClientOff.code.rawValue == "access_denied")
        #expect(NativeSSORefusal.notShared.code.rawValue == "access_denied")
    }

    // Configuration reference.

    @Test func `setting enabled is false by default and refuses every exchange`() {
        #expect(!NativeSSOSettings().isEnabled)
        #expect(Fixture.flaw { $0.settings.isEnabled = false } == .disabled)
    }

    @Test func `setting deviceSecretTTLDays is 30 by default, 1 to 90`() {
        #expect(NativeSSOSettings().secretLifetime == .seconds(30 * 86_400))
        expectRange(.deviceSecretTTLDays, 1...90, default: 30)
    }

    @Test func `setting maxDeviceSecretsPerUser is 10 by default, 1 to 50`() {
        #expect(NativeSSOSettings().limit.count == 10)
        expectRange(.maxDeviceSecretsPerUser, 1...50, default: 10)
    }

    @Test func `setting maxSecretsBehavior is revoke_oldest by default, or reject`() {
        #expect(NativeSSOSettings().limit.behavior == .revokeOldest)
        #expect(NativeSSOField.maxSecretsBehavior.fallback == .word("revoke_oldest"))
        #expect(NativeSSOField.maxSecretsBehavior.problem(with: .word("reject")) == nil)
        #expect(
            NativeSSOField.maxSecretsBehavior.problem(with: .word("ignore")) == "must be one of revoke_oldest, reject")
    }

    @Test func `setting allowCrossClientNativeSSO is false by default`() {
        #expect(!NativeSSOSettings().allowsCrossClient)
        #expect(NativeSSOField.allowCrossClientNativeSSO.fallback == .flag(false))
    }

    @Test func `setting rateLimit.maxAttemptsPerMinute is 10 by default, 1 to 100`() {
        #expect(NativeSSOSettings().attemptsPerMinute == 10)
        expectRange(.maxAttemptsPerMinute, 1...100, default: 10)
    }

    @Test func `setting rateLimit.blockDurationMinutes is 15 by default, 1 to 60`() {
        #expect(NativeSSOSettings().blockDuration == .seconds(900))
        expectRange(.blockDurationMinutes, 1...60, default: 15)
    }

    // Admin API reference.

    @Test func `the body of PUT is read as SDKs write it`() throws {
        let body = """
            {"enabled": true, "deviceSecretTTLDays": 45, "maxDeviceSecretsPerUser": 3, "maxSecretsBehavior": "reject",
             "allowCrossClientNativeSSO": true, "rateLimit": {"maxAttemptsPerMinute": 20, "blockDurationMinutes": 5}}
            """
        let settings = NativeSSOSettings(layers: [try NativeSSOSettingsText.read(Array(body.utf8))])
        #expect(settings.isEnabled)
        #expect(settings.secretLifetime == .seconds(45 * 86_400))
        #expect(settings.limit == DeviceSecretLimit(count: 3, behavior: .reject))
        #expect(settings.allowsCrossClient)
        #expect(settings.exchangeWindow == AttemptWindow(count: 20, per: .seconds(60), block: .seconds(300)))
    }

    @Test func `a number that an SDK keeps as a double is the whole number that it is`() throws {
        let body = #"{"deviceSecretTTLDays": 45.0, "rateLimit": {"maxAttemptsPerMinute": 20.0}}"#
        #expect(
            try NativeSSOSettingsText.read(Array(body.utf8)) == [
                .deviceSecretTTLDays: .number(45), .maxAttemptsPerMinute: .number(20),
            ])
    }

    @Test(arguments: [
        (#"{"deviceSecretTTLDays":91}"#, "deviceSecretTTLDays must be a whole number from 1 to 90"),
        (#"{"deviceSecretTTLDays":0}"#, "deviceSecretTTLDays must be a whole number from 1 to 90"),
        (#"{"deviceSecretTTLDays":1.5}"#, "deviceSecretTTLDays must be a whole number from 1 to 90"),
        (#"{"enabled":"yes"}"#, "enabled must be true or false"),
        (
            #"{"rateLimit":{"blockDurationMinutes":61}}"#,
            "rateLimit.blockDurationMinutes must be a whole number from 1 to 60"
        ),
        (#"{"rateLimit":7}"#, "rateLimit must be an object"),
        (#"{"ttl":7}"#, #""ttl" is not a setting of native-sso"#),
        (#"[]"#, "the body is not a JSON object, or it repeats a member"),
    ])
    func `a value out of range is refused with the field's name and its range`(body: String, problem: String) {
        let error = #expect(throws: OAuthError.self) { try NativeSSOSettingsText.read(Array(body.utf8)) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.publicDescription?.hasPrefix(problem) == true)
    }

    // SDK implementation guide.

    @Test func `ds_hash is the left half of SHA-256 over the secret, base64url`() throws {
        // python3: base64.urlsafe_b64encode(hashlib.sha256(b"...").digest()[:16]).rstrip(b"=")
        let secret = OpaqueSecret.make(.deviceSecret, random: RandomSource { Array(repeating: 7, count: $0) })
        #expect(secret.expose().hasPrefix("ds_"))
        let digest = try #require(Base64URL.decode(secret.digest))
        #expect(secret.deviceSecretHash == Base64URL.encode(Array(digest.prefix(16))))
    }

    private func expectRange(_ field: NativeSSOField, _ range: ClosedRange<Int>, default fallback: Int) {
        #expect(field.fallback == .number(fallback))
        for good in [range.lowerBound, range.upperBound] { #expect(field.problem(with: .number(good)) == nil) }
        for bad in [range.lowerBound - 1, range.upperBound + 1] {
            #expect(
                field.problem(with: .number(bad))
                    == "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
