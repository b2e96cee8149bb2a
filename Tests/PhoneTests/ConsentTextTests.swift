import SelfIssuedIdP
import Testing

@testable import drawbridge_phone

@Suite struct ConsentTextTests {
    @Test(arguments: [
        ("Sample\u{1B}[2J\u{1B}[1;1Hbank.example asks", "Sample\u{FFFD}[2J\u{FFFD}[1;1Hbank.example asks"),
        ("line\nexample.com asks\rover", "line\u{FFFD}example.com asks\u{FFFD}over"),
        ("moc.elpmaxe\u{202E}", "moc.elpmaxe\u{FFFD}"), ("zero\u{200B}width", "zero\u{FFFD}width"),
        ("Bücher & Söhne", "Bücher & Söhne"),
    ])
    func `a name does not repaint the terminal`(_ name: String, _ shown: String) {
        #expect(PlainText.line(name) == shown)
    }

    @Test func `a long name is cut`() {
        #expect(PlainText.line(String(repeating: "a", count: 500)).count == 121)
    }

    @Test func `every reason has a status of its stage`() {
        let statuses = Set(PhoneRefusal.Reason.allCases.map { ExitStatus($0.stage).rawValue })
        #expect(statuses == [2, 3, 4, 5])
        #expect(ExitStatus(PhoneRefusal.Reason.requestURIInvalid.stage) == .badLink)
        #expect(ExitStatus(PhoneRefusal.Reason.certificateUntrusted.stage) == .network)
        #expect(ExitStatus(PhoneRefusal.Reason.nonceMissing.stage) == .refused)
        #expect(ExitStatus(PhoneRefusal.Reason.pinWrong.stage) == .store)
    }
}
