import Bridge
import OAuth2
import Testing

@testable import drawbridge

@Suite struct KeyListingTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func key(_ id: String, _ algorithm: SigningAlgorithm, from: Int, until: Int? = nil) -> SealedSigningKey {
        SealedSigningKey(
            id: id, algorithm: algorithm, sealedKey: "sealed", publicKey: .object([:]), createdAt: now,
            signsFrom: now + .seconds(from), retiresAt: until.map { now + .seconds($0) })
    }

    @Test func `keys of access and ID tokens are listed with algorithm, state and times`() {
        let keys = [
            key("a", .es256, from: -300, until: -100), key("b", .es256, from: -200, until: 100),
            key("c", .es256, from: -100), key("d", .es256, from: 100), key("e", .edDSA, from: -400),
        ]
        let overview = KeyOverview.all(in: keys, at: now)
        #expect(overview.map(\.state) == [.retired, .verifying, .signing, .waiting, .signing])
        let lines = KeyListing(overview).text.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(
            lines[1] == "b  access and ID tokens  ES256  verifying  signs from \((now - .seconds(200)).rfc3339), "
                + "retires \((now + .seconds(100)).rfc3339)")
        #expect(!KeyListing(overview).text.contains("sealed"))
    }
}
