import Testing

@testable import SQLStorage

/// How long a start waits for a node's name that is another's.
@Suite struct NamePatienceTests {
    private let start = ContinuousClock.now
    private let one = LeaseHolder(text: "one")
    private let two = LeaseHolder(text: "two")

    private func patience(for node: String = "n") -> NamePatience {
        NamePatience(for: node, from: start, limit: .seconds(13))
    }

    private func isLeft(_ patience: inout NamePatience, _ holder: LeaseHolder, until end: Int64, after: Int) -> Bool {
        patience.isLeft(
            for: NodeHeld(holder: holder, expiresAt: end), at: start.advanced(by: .seconds(after)))
    }

    @Test func `a holder that puts its lease off is not waited for`() {
        var patience = patience()
        #expect(isLeft(&patience, one, until: 6000, after: 0))
        #expect(isLeft(&patience, one, until: 6000, after: 1))
        #expect(!isLeft(&patience, one, until: 8000, after: 2))
    }

    @Test func `a command that lives ends by itself, and is waited for all the same`() {
        var patience = patience(for: "n-cli")
        #expect(isLeft(&patience, one, until: 6000, after: 0))
        #expect(isLeft(&patience, one, until: 8000, after: 2))
        #expect(!isLeft(&patience, one, until: 19000, after: 13))
    }

    @Test func `one that took the name after another has put nothing off`() {
        var patience = patience()
        #expect(isLeft(&patience, one, until: 6000, after: 0))
        #expect(isLeft(&patience, two, until: 7000, after: 1))
        #expect(!isLeft(&patience, two, until: 9000, after: 3))
    }

    @Test func `one that vanished is waited for until its lease has run out`() {
        var patience = patience()
        #expect(isLeft(&patience, one, until: 6000, after: 0))
        #expect(isLeft(&patience, one, until: 6000, after: 12))
        #expect(!isLeft(&patience, one, until: 6000, after: 13))
    }

    @Test func `each is waited for anew`() {
        var patience = patience()
        #expect(isLeft(&patience, one, until: 6000, after: 0))
        #expect(isLeft(&patience, two, until: 18000, after: 12))
        #expect(isLeft(&patience, two, until: 18000, after: 24))
        #expect(!isLeft(&patience, two, until: 18000, after: 25))
    }
}
