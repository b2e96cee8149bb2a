@testable import DrawbridgeClient
import Testing

@Suite struct ProofKeyTests {
    @Test(arguments: ["", "{", "AA"])
    func `a kept proof key that is damaged counts as absent`(_ damaged: String) async throws {
        let store = MemorySecretStore()
        let item = SecretItem(service: "com.example", account: "proof_key", accessGroup: nil)
        await store.write(Redacted(damaged), to: item)
        let key = try await StoredProofKey(item, in: store)
        #expect(try await StoredProofKey(item, in: store).publicPoint == key.publicPoint)
    }
}
