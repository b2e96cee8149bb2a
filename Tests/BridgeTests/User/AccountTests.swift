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
}
