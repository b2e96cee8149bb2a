import Testing

@testable import Bridge

@Suite struct AccountTests {
    @Test func `a subject begins with a letter, so that no command line takes it for an option`() {
        let subjects = (UInt8.min...UInt8.max).map { byte in
            Account.makeSubject(random: RandomSource { Array(repeating: byte, count: $0) }).rawValue
        }
        #expect(subjects.allSatisfy { $0.first?.isLetter == true && $0.count == 22 })
        #expect(Set(subjects).count == 256)
    }

    @Test(
        arguments: [
            (false, "aal1", true), (false, nil, true), (true, "aal2", true), (true, "aal1", false), (true, nil, false),
            (true, "urn:other:two-factors", false),
        ] as [(Bool, String?, Bool)])
    func `§16.2: whoever has a second factor must have shown it`(hasFactor: Bool, acr: String?, isGoodEnough: Bool) {
        let account = Account(
            subject: "alice", username: nil, secondFactor: hasFactor ? SecondFactor(sealedSecret: "sealed") : nil,
            createdAt: noon)
        #expect(account.isSatisfied(by: Authentication(time: noon, acr: acr, amr: ["pwd"])) == isGoodEnough)
    }
}
