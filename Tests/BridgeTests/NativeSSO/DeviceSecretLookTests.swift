import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What is known of a device secret is found in one look.
@Suite struct DeviceSecretLookTests {
    @Test(arguments: [true, false])
    func `a secret and the sessions below its device are found in one look, and in a file none are sought for nothing`(
        isFar: Bool
    ) async throws {
        try await withCountedService(isFar: isFar) { service, engine in
            let native = try NativeProvider(
                Provider(service), configured: [.enabled: .flag(true), .allowCrossClientNativeSSO: .flag(true)])
            let tokens = try await native.signIn()
            let session = try native.session(of: tokens)
            let secret = try #require(OpaqueSecret(tokens.deviceSecret?.expose() ?? "", kind: .deviceSecret))
            engine.clear()
            let known = try await service.storage.deviceSecret(digest: secret.digest)
            #expect(known?.sessionIDs == [session])
            #expect(engine.counts == LookCounts(looks: 1, statements: 2))
            engine.clear()
            let unknown = try await service.storage.deviceSecret(digest: "unknown")
            #expect(unknown == nil)
            #expect(engine.counts == LookCounts(looks: 1, statements: isFar ? 2 : 1))
        }
    }
}
