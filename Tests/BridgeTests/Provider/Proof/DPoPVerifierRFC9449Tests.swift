import OAuth2
import Testing

@testable import Bridge

@Suite struct DPoPVerifierRFC9449Tests {
    private let now = noon
    private let key: ProofKey
    private let keys: Reloadable<SecretKeyRing>

    init() throws {
        key = try ProofKey()
        keys = Reloadable(keyRing("k1"))
    }

    private func verifier(
        requiresNonce: Bool = false, replays: any ReplayGuard = InProcessReplayGuard()
    ) throws -> DPoPVerifier {
        DPoPVerifier(
            origins: [try #require(WebOrigin(issuerName))], nonces: DPoPNonces(keys: keys), replays: replays,
            requiresNonce: requiresNonce, time: FixedClock().source)
    }

    @Test func `§4.3: a right proof gives its key's thumbprint, once`() async throws {
        let verifier = try verifier()
        let proof = try key.proof(id: "a", at: now)
        #expect(try await verifier.verify(proof, at: now) == key.thumbprint)
        #expect(try await refusal { try await verifier.verify(proof, at: now) } == "invalid_dpop_proof proof_replayed")
        // To the end of its life, and then it is too old.
        let replayed = try await refusal { try await verifier.verify(proof, at: now + .seconds(60)) }
        #expect(replayed == "invalid_dpop_proof proof_replayed")
        let late = try await refusal { try await verifier.verify(proof, at: now + .seconds(61)) }
        #expect(late == "invalid_dpop_proof proof_time")
    }

    @Test func `§11.1: an id is used up for its key, whatever time stands beside it`() async throws {
        let verifier = try verifier()
        _ = try await verifier.verify(try key.proof(id: "a", at: now), at: now)
        let again = try key.proof(id: "a", at: now + .seconds(9))
        #expect(try await refusal { try await verifier.verify(again, at: now) } == "invalid_dpop_proof proof_replayed")
        let other = try ProofKey()
        #expect(try await verifier.verify(try other.proof(id: "a", at: now), at: now) == other.thumbprint)
    }

    @Test func `§11.1: with a shared guard that forgets, one process still sees a proof twice`() async throws {
        let verifier = try verifier(replays: ForgetfulReplayGuard())
        let proof = try key.proof(id: "a", at: now)
        _ = try await verifier.verify(proof, at: now)
        #expect(try await refusal { try await verifier.verify(proof, at: now) } == "invalid_dpop_proof proof_replayed")
    }

    @Test func `§11.1: what one node has seen the other refuses, over a guard that they share`() async throws {
        let shared = InProcessReplayGuard()
        let nodes = [try verifier(replays: shared), try verifier(replays: shared)]
        let proof = try key.proof(id: "a", at: now)
        _ = try await nodes[0].verify(proof, at: now)
        #expect(try await refusal { try await nodes[1].verify(proof, at: now) } == "invalid_dpop_proof proof_replayed")
    }

    @Test func `§11.1: a proof of another key than the token's takes no room in the memory of proofs`() async throws {
        let verifier = try verifier(replays: InProcessReplayGuard(capacity: 1))
        let constraint = SenderConstraint(proofs: verifier)
        let token = Secret("a token")
        func shown(_ key: ProofKey, _ id: String) throws -> PresentedAccessToken {
            PresentedAccessToken(token: token, scheme: .dpop, proof: try key.proof(id: id, at: now, token: token))
        }
        let foreign = try shown(try ProofKey(), "a")
        for _ in 0..<2 {
            await #expect(throws: BearerRefusal.wrongProofKey) {
                try await constraint.check(foreign, boundTo: key.thumbprint, at: now)
            }
        }
        let good = try shown(key, "b")
        try await constraint.check(good, boundTo: key.thumbprint, at: now)
        let again = try await refusal {
            try await constraint.check(good, boundTo: key.thumbprint, at: now)
            return true
        }
        #expect(again == "invalid_dpop_proof proof_replayed")
    }

    @Test func `§11.1: a proof that cannot be remembered is not believed`() async throws {
        let verifier = try verifier(replays: InProcessReplayGuard(capacity: 1))
        _ = try await verifier.verify(try key.proof(id: "a", at: now), at: now)
        let second = try key.proof(id: "b", at: now)
        await #expect(throws: StorageError.self) { try await verifier.verify(second, at: now) }
    }

    @Test func `of a hundred uses at once one is taken`() async throws {
        let verifier = try verifier()
        let proof = try key.proof(id: "a", at: now)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { (try? await verifier.verify(proof, at: noon)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
    }

    @Test(arguments: [(-3600, false), (-61, false), (-60, true), (0, true), (10, true), (11, false), (3600, false)])
    func `§4.3: without a nonce a proof is at most a minute old and ten seconds ahead`(
        offset: Int, isGood: Bool
    ) async throws {
        let proof = try key.proof(id: "a", at: now + .seconds(offset))
        let found = try await refusal { try await verifier().verify(proof, at: now) }
        #expect(found == (isGood ? "accepted" : "invalid_dpop_proof proof_time"))
    }

    @Test(arguments: [(-901, false), (-900, true), (900, true), (901, false)])
    func `§8: a nonce makes up for a clock that is off by a quarter of an hour`(
        offset: Int, isGood: Bool
    ) async throws {
        let verifier = try verifier()
        let proof = try key.proof(id: "a", at: now + .seconds(offset), nonce: verifier.nonce(at: now))
        let found = try await refusal { try await verifier.verify(proof, at: now) }
        #expect(found == (isGood ? "accepted" : "invalid_dpop_proof proof_time"))
        guard isGood else { return }
        #expect(try await refusal { try await verifier.verify(proof, at: now) } == "invalid_dpop_proof proof_replayed")
    }

    @Test(arguments: [
        ("nbf", 3600, false), ("nbf", 11, false), ("nbf", 10, true), ("nbf", -60, true), ("exp", -3600, false),
        ("exp", -10, false), ("exp", -9, true), ("exp", 60, true),
    ])
    func `the times that any JWT may have count as well`(name: String, offset: Int, isGood: Bool) async throws {
        let instant = JSONValue.number(String((now + .seconds(offset)).seconds))
        let proof = try key.proof(id: "a", at: now, claims: [name: instant])
        let found = try await refusal { try await verifier().verify(proof, at: now) }
        #expect(found == (isGood ? "accepted" : "invalid_dpop_proof proof_time"))
    }

    @Test(arguments: ["1e300", "-1", "-1e300"])
    func `a time outside all calendars is refused and no trap`(_ text: String) async throws {
        for name in ["iat", "nbf", "exp"] {
            let proof = try key.proof(id: "a", at: now, claims: [name: .number(text)])
            #expect(
                try await refusal { try await verifier().verify(proof, at: now) } == "invalid_dpop_proof proof_time")
        }
    }

    @Test func `§8: where nonces are required, a proof without one is told to get it`() async throws {
        let verifier = try verifier(requiresNonce: true)
        let bare = try key.proof(id: "a", at: now)
        #expect(try await refusal { try await verifier.verify(bare, at: now) } == "use_dpop_nonce proof_nonce_missing")
        let nonce = try #require(verifier.nonce(at: now))
        let good = try key.proof(id: "a", at: now, nonce: nonce)
        #expect(try await verifier.verify(good, at: now) == key.thumbprint)
    }

    @Test func `§8: a nonce is good for two and a half to five minutes, and only if it is ours`() async throws {
        let verifier = try verifier()
        let nonce = try #require(verifier.nonce(at: now))
        for (age, isGood) in [(0, true), (149, true), (300, false)] {
            let at = now + .seconds(age)
            let proof = try key.proof(id: "\(age)", at: at, nonce: nonce)
            let found = try await refusal { try await verifier.verify(proof, at: at) }
            #expect(found == (isGood ? "accepted" : "use_dpop_nonce proof_nonce_stale"), "\(age)")
        }
        let end = try #require(nonce.split(separator: ".").first.flatMap { Int64($0) })
        let forged = nonce.replacing("\(end)", with: "\(end + 150)", maxReplacements: 1)
        for text in ["", "x", "a.b.c", forged, nonce + ".x"] {
            let proof = try key.proof(id: "forged", at: now, nonce: text)
            let found = try await refusal { try await verifier.verify(proof, at: now) }
            #expect(found == "use_dpop_nonce proof_nonce_stale", "\(text)")
        }
    }

    @Test func `§8: every server that has the keys knows the nonces of the others`() throws {
        let other = DPoPNonces(keys: Reloadable(keyRing("k1")))
        let nonce = try #require(DPoPNonces(keys: keys).current(at: now))
        #expect(other.end(of: nonce, at: now) != nil)
        let stranger = DPoPNonces(keys: Reloadable(keyRing("k2")))
        #expect(stranger.end(of: nonce, at: now) == nil)
        // RFC 6749 Appendix A.8: NQCHAR.
        #expect(nonce.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }

    @Test func `§4.3: there is one header, and the proof is about this very request`() async throws {
        let verifier = try verifier()
        let proof = try key.proof(id: "a", at: now)
        let cases: [(PresentedProof, String)] = [
            (.none, "proof_missing"),
            (PresentedProof(fields: proof.fields + proof.fields, method: "POST", path: proof.path), "proof_repeated"),
            (PresentedProof(fields: proof.fields, method: "GET", path: proof.path), "proof_method"),
            (PresentedProof(fields: proof.fields, method: "POST", path: "/oauth/par"), "proof_target"),
            (PresentedProof(fields: ["x"], method: "POST", path: proof.path), "proof_malformed"),
        ]
        for (presented, reason) in cases {
            #expect(
                try await refusal { try await verifier.verify(presented, at: now) } == "invalid_dpop_proof \(reason)")
        }
    }

    @Test func `§7: with an access token the proof names it`() async throws {
        let verifier = try verifier()
        let (token, other) = (Secret("token"), Secret("other"))
        for (id, proof) in [
            ("a", try key.proof(id: "a", at: now)), ("b", try key.proof(id: "b", at: now, token: other)),
        ] {
            let found = try await refusal { try await verifier.verify(proof, accessToken: token, at: now) }
            #expect(found == "invalid_dpop_proof proof_token_hash", "\(id)")
        }
        let good = try key.proof(id: "c", at: now, token: token)
        #expect(try await verifier.verify(good, accessToken: token, at: now) == key.thumbprint)
    }
}

extension DPoPVerifier {
    /// Judges a proof and uses it up.
    /// - Returns: the thumbprint of the key (RFC 7638).
    fileprivate func verify(
        _ presented: PresentedProof, accessToken: Secret<String>? = nil, at now: Timestamp
    ) async throws -> String {
        let proof = try judge(presented, accessToken: accessToken, at: now)
        try await claim(proof, at: now)
        return proof.keyThumbprint
    }
}
