import DrawbridgeClient
import Testing

@Suite struct SignInAnswerTests {
    private let device = Device()

    /// A flaw, and the answer that has it: `STATE` stands for the right state.
    private static let flaws: [(AnswerFlaw, String)] = [
        (.foreignState, "http://127.0.0.1:5000/callback?code=c1&state=wrong&iss=https%3A%2F%2Fid.example.com"),
        (.foreignState, "http://127.0.0.1:5000/callback?code=c1&iss=https%3A%2F%2Fid.example.com"),
        (.foreignState, "http://127.0.0.1:5000/callback?code=c1&state=STATEx&iss=https%3A%2F%2Fid.example.com"),
        (.malformed, "http://127.0.0.1:5000/callback?code=c1&state=STATE&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.malformed, "http://127.0.0.1:5000/callback?code=c1&code=c2&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.malformed, "http://127.0.0.1:5000/callback?code=%zz&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.malformed, "http://127.0.0.1:5000/callback"),
        (.otherIssuer, "http://127.0.0.1:5000/callback?code=c1&state=STATE&iss=https%3A%2F%2Fevil.example"),
        (.otherIssuer, "http://127.0.0.1:5000/callback?code=c1&state=STATE&iss=https%3A%2F%2Fid.example.com%2F"),
        (.otherIssuer, "http://127.0.0.1:5000/callback?code=c1&state=STATE"),
        (.otherIssuer, "http://127.0.0.1:5000/callback?error=access_denied&state=STATE"),
        (.otherAddress, "http://127.0.0.1:5001/callback?code=c1&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.otherAddress, "http://127.0.0.1:5000/callback/?code=c1&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.otherAddress, "http://[::1]:5000/callback?code=c1&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.noCode, "http://127.0.0.1:5000/callback?state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.noCode, "http://127.0.0.1:5000/callback?code=&state=STATE&iss=https%3A%2F%2Fid.example.com"),
        (.noCode, "http://127.0.0.1:5000/callback?code=c1&error=x&state=STATE&iss=https%3A%2F%2Fid.example.com"),
    ]

    @Test(arguments: flaws)
    func `an answer with a flaw is refused before its code is used`(_ flaw: AnswerFlaw, _ answer: String) async throws {
        let app = try device.app()
        let request = try await app.beginSignIn(redirect: RedirectAddress("http://127.0.0.1:5000/callback"))
        let answer = answer.replacing("STATE", with: request.state)
        #expect(request.flaw(in: answer) == .answer(flaw))
        await #expect(throws: ClientError.answer(flaw)) { try await app.finishSignIn(request, answer: answer) }
        #expect(await device.provider.asked("/token").isEmpty)
    }

    @Test func `a person who says no has cancelled`() async throws {
        let app = try device.app()
        let request = try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        let answer = request.goodAnswer.replacing("code=c1", with: "error=access_denied")
        await #expect(throws: ClientError.cancelled) { try await app.finishSignIn(request, answer: answer) }
    }

    @Test(arguments: [("the+user+declined", true), ("the+client+requires+a+second+factor", false)])
    func `a denial for another reason than the person's no says so`(reason: String, isCancelled: Bool) async throws {
        let app = try device.app()
        let request = try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        let answer = request.goodAnswer.replacing(
            "code=c1", with: "error=access_denied&error_description=\(reason)")
        let refused = OAuthRefusal(code: "access_denied", explanation: reason.replacing("+", with: " "))
        await #expect(throws: isCancelled ? ClientError.cancelled : .refused(refused)) {
            try await app.finishSignIn(request, answer: answer)
        }
    }

    @Test func `another error says which`() async throws {
        let app = try device.app()
        let request = try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        let answer = request.goodAnswer.replacing("code=c1", with: "error=invalid_scope&error_description=no+such")
        await #expect(throws: ClientError.refused(OAuthRefusal(code: "invalid_scope", explanation: "no such"))) {
            try await app.finishSignIn(request, answer: answer)
        }
    }

    @Test func `only an address with this sign-in's state is its answer`() async throws {
        let request = try await device.app().beginSignIn(redirect: RedirectAddress("http://127.0.0.1:5000/callback"))
        #expect(request.isAnswer(request.goodAnswer))
        #expect(!request.isAnswer("http://127.0.0.1:5000/callback?code=c1&state=other"))
        #expect(!request.isAnswer("http://127.0.0.1:5000/callback"))
    }

    @Test func `a provider that does not promise to name itself may leave it out, but may not lie`() async throws {
        await device.provider.answer(
            "/.well-known/openid-configuration",
            .json(FakeProvider.metadata(["authorization_response_iss_parameter_supported": false])))
        let request = try await device.app().beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        let bare = "com.example.app:/callback?code=c1&state=\(request.state)"
        #expect(request.flaw(in: bare) == nil)
        #expect(request.flaw(in: bare + "&iss=https%3A%2F%2Fevil.example") == .answer(.otherIssuer))
    }
}
