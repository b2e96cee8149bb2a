import DrawbridgeClient
import Testing

@Suite struct RedactedTests {
    @Test func `a secret shows itself to nobody who prints it`() {
        let secret = Redacted("ds_very-secret")
        var dumped = ""
        dump(["secret": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(!text.contains("very-secret"))
        }
        #expect(secret.expose() == "ds_very-secret")
    }
}
