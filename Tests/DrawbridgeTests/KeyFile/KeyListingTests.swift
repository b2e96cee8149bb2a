import Bridge
import OAuth2
import Testing

@testable import drawbridge

@Suite struct KeyListingTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func key(
        _ id: String, _ algorithm: KeyAlgorithm, from: Int, until: Int? = nil, withdrawn: Int? = nil
    ) -> SealedSigningKey {
        SealedSigningKey(
            id: id, algorithm: algorithm, sealedKey: "sealed", publicKey: .object([:]), createdAt: now,
            signsFrom: now + .seconds(from), retiresAt: until.map { now + .seconds($0) },
            withdrawnAt: withdrawn.map { now + .seconds($0) })
    }

    @Test func `keys are listed with purpose, algorithm, state and times, and no secret`() {
        let keys = [
            key("e", .edDSA, from: -400), key("a", .es256, from: -300, until: -100),
            key("b", .es256, from: -200, until: 100), key("c", .es256, from: -100), key("d", .es256, from: 100),
            key("h", .hs256, from: -5), key("g", .hs256, from: -7, until: 100, withdrawn: -1),
        ]
        let overview = KeyOverview.all(in: keys, at: now)
        #expect(overview.map(\.id) == ["g", "h", "a", "b", "c", "d", "e"])
        #expect(
            overview.map(\.state) == [.retired, .signing, .retired, .verifying, .signing, .waiting, .signing])
        let rows = Listing(keys: overview).rows
        #expect(rows.count == 7)
        #expect(
            rows[0] == [
                "g", "login tokens", "HS256", "retired", (now - .seconds(7)).rfc3339,
                "retired at once \((now - .seconds(1)).rfc3339)",
            ])
        #expect(
            rows[3] == [
                "b", "access and ID tokens", "ES256", "verifying", (now - .seconds(200)).rfc3339,
                (now + .seconds(100)).rfc3339,
            ])
        #expect(!Listing(keys: overview).text(as: .json).contains("sealed"))
        #expect(
            KeyWords.line(overview[3])
                == "b  access and ID tokens  ES256  verifying  signs from \((now - .seconds(200)).rfc3339), "
                + "retires \((now + .seconds(100)).rfc3339)")
    }

    @Test func `what a retirement costs is said for each kind of key that it would cost something`() {
        let overview = KeyOverview.all(
            in: [
                key("h", .hs256, from: -5), key("e", .es256, from: -5), key("r", .rs256, from: -5),
                key("w", .hs256, from: 100), key("x", .edDSA, from: -5, withdrawn: -1),
            ], at: now)
        let costs = costs(of: overview)
        #expect(costs["h"]?.contains("Login links") == true && costs["h"]?.contains("Nobody is signed out") == true)
        #expect(costs["e"]?.contains("Access tokens") == true && costs["e"]?.contains("Websites that verify") == true)
        #expect(costs["e"]?.contains("Consoles") == true && costs["e"]?.contains("ID tokens") == true)
        // A client may have its access tokens signed by it.
        #expect(costs["r"] == costs["e"])
        #expect(costs["w"] == "It has signed nothing yet, so nothing stops working.")
        #expect(costs["x"] == "")
    }

    @Test func `a key that retired by its time costs nothing more than the consoles that any published key closes`() {
        let overview = KeyOverview.all(
            in: [
                key("h", .hs256, from: -5), key("e", .es256, from: -5), key("past-h", .hs256, from: -9, until: -1),
                key("past-e", .es256, from: -9, until: -1), key("next-e", .es256, from: 100),
            ], at: now)
        let costs = costs(of: overview)
        #expect(costs["past-h"] == "")
        #expect(costs["past-e"] == KeyConsequence.consoles.sentence)
        // Its retirement closes them as any other does.
        #expect(costs["next-e"] == KeyConsequence.consoles.sentence)
    }

    private func costs(of overview: [KeyOverview]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: overview.map { ($0.id, $0.consequences.map(\.sentence).joined(separator: " ")) })
    }
}
