import OAuth2
import Testing

@testable import Bridge

/// The form in which a record has a sign-in across devices.
@Suite struct PhoneSignInFormTests {
    private static let phone = #""sub":"alice","client":"app","sid":"s","scope":["openid"]"#

    private func read(_ members: String) -> PhoneSignIn? {
        PhoneSignIn(Array(#"{"at":1795000000000,\#(members)}"#.utf8))
    }

    private static let written: [(String, PhoneSignInState)] = [
        (#""state":"created","wrong":0"#, .created),
        (#""state":"scanned",\#(phone),"txn":"t","wrong":0"#, .scanned),
        (#""state":"approved",\#(phone),"txn":"t","digits":"d","approved":1795000001000,"wrong":2"#, .approved),
        (#""state":"denied",\#(phone),"txn":"t","wrong":0,"reported":true"#, .denied),
        (#""state":"locked",\#(phone),"txn":"t","digits":"d","approved":1795000001000,"wrong":3"#, .locked),
        (#""state":"completed",\#(phone),"txn":"t","digits":"d","approved":1795000001000,"wrong":0"#, .completed),
    ]

    @Test(arguments: written)
    func `what a node of the version before wrote is read, and reads the same when written again`(
        members: String, state: PhoneSignInState
    ) throws {
        let signIn = try #require(read(members))
        #expect(signIn.stored == state)
        #expect(signIn.mayYetBeReported == (state == .locked) && signIn.wrong == (state == .approved ? 2 : 0))
        #expect(PhoneSignIn(signIn.text) == signIn)
        #expect(String(decoding: signIn.text, as: UTF8.self).contains(#""wrong":"#))
    }

    @Test(arguments: [
        #""state":"expired","wrong":0"#, #""state":"scanned","txn":"t","wrong":0"#,
        #""state":"scanned",\#(phone),"wrong":0"#,
        #""state":"approved",\#(phone),"digits":"d","wrong":0"#,
        #""state":"approved",\#(phone),"approved":1795000001000,"wrong":0"#,
        #""state":"approved",\#(phone),"digits":"d","approved":1795000001000,"wrong":3"#,
        #""state":"completed","approved":1795000001000,"wrong":0"#, #""state":"completed",\#(phone),"wrong":0"#,
        #""state":"denied","wrong":0"#, #""state":"locked","wrong":3"#,
    ])
    func `a state that lacks what belongs to it is no sign-in`(members: String) {
        #expect(read(members) == nil)
    }
}
