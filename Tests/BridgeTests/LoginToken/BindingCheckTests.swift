import OAuth2
import Testing

@testable import Bridge

@Suite struct BindingCheckTests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private func failure(
        _ network: LoginTokenBinding.Network = .none, challenge: String? = nil, verifier: String? = nil,
        from address: String? = "203.0.113.7"
    ) -> RedemptionRefusal? {
        BindingCheck.failure(
            of: LoginTokenBinding(challenge: challenge.flatMap { CodeChallenge($0) }, network: network),
            verifier: verifier, address: address.flatMap { NetworkAddress($0) })
    }

    @Test func `an unbound token needs nothing, and a verifier too many does no harm`() {
        #expect(failure() == nil)
        #expect(failure(verifier: verifier) == nil)
    }

    @Test func `a challenge needs the verifier that answers it`() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        #expect(failure(challenge: challenge, verifier: verifier) == nil)
        #expect(failure(challenge: challenge) == .wrongVerifier)
        #expect(failure(challenge: challenge, verifier: "too short") == .wrongVerifier)
        #expect(failure(challenge: challenge, verifier: String(verifier.reversed())) == .wrongVerifier)
    }

    @Test(arguments: [
        ("203.0.113.0/24", "203.0.113.99", true), ("203.0.113.0/24", "203.0.114.1", false),
        ("2001:db8:1::/48", "2001:db8:1:ffff::1", true), ("2001:db8:1::/48", "2001:db8:2::1", false),
        ("203.0.113.0/24", "2001:db8::1", true), ("2001:db8:1::/48", "203.0.113.7", true),
    ])
    func `a network is compared only inside one family`(network: String, address: String, passes: Bool) throws {
        let prefix = try #require(NetworkPrefix(network))
        #expect((failure(.network(prefix), from: address) == nil) == passes)
    }

    @Test func `contract §3: an exact address is that address, in every family`() throws {
        for (bound, flaw) in [
            ("203.0.113.7", nil), ("203.0.113.8", .wrongNetwork), ("2001:db8::1", .wrongNetwork),
        ] as [(String, RedemptionRefusal?)] {
            let address = try #require(NetworkAddress(bound))
            #expect(failure(.exact(address)) == flaw)
        }
    }

    @Test func `a binding that cannot be compared is not met`() throws {
        let address = try #require(NetworkAddress("203.0.113.7"))
        #expect(failure(.network(address.bindingNetwork), from: nil) == .wrongNetwork)
        #expect(failure(.exact(address), from: nil) == .wrongNetwork)
    }
}
