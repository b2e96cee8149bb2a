import OAuth2
import Testing

@testable import Bridge

/// What an operator is told of a phone's answer is what the sign-in would say of it.
@Suite struct SelfIssuedExplainerTests {
    private func explain(
        isOfScheme: Bool, nonce: (SelfIssuedSignIn.Beginning) -> String?
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "none")
        try await withService { service in
            let desk = try SelfIssuedDesk(service, isLinkClaimed: true)
            try await desk.linked()
            let beginning = try await desk.begin()
            let explainer = SelfIssuedExplainer(
                configuration: desk.phone.configuration, storage: service.storage, time: service.clock.source)
            explanation = try await explainer.explain(
                try desk.answer(beginning, isOfScheme: isOfScheme), nonce: nonce(beginning))
        }
        return explanation
    }

    @Test(arguments: [false, true])
    func `with the claimed link's nonce an answer to either link passes, as in a sign-in`(
        isOfScheme: Bool
    ) async throws {
        let explanation = try await explain(isOfScheme: isOfScheme) { $0.nonce }
        #expect(explanation.passes, "\(explanation.reason ?? "")")
    }

    @Test func `an answer to another request does not pass`() async throws {
        let explanation = try await explain(isOfScheme: false) { $0.state }
        #expect(explanation.reason == "nonce_mismatch")
    }

    @Test func `without a nonce it is not judged`() async throws {
        let explanation = try await explain(isOfScheme: true) { _ in nil }
        #expect(explanation.passes)
    }
}
