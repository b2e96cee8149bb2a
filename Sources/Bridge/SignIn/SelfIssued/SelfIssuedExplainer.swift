package import OAuth2

/// Says what a phone's answer would come to, and which check decides. Changes nothing.
package final class SelfIssuedExplainer: Sendable {
    private let configuration: SelfIssuedConfiguration
    private let storage: any LinkedKeyStore & UserStore
    private let time: TimeSource

    package init(
        configuration: SelfIssuedConfiguration, storage: any LinkedKeyStore & UserStore, time: TimeSource
    ) {
        self.configuration = configuration
        self.storage = storage
        self.time = time
    }

    /// - Parameters:
    ///   - answer: what a phone would post.
    ///   - nonce: the one that it was sent, or the claimed link's; `nil` leaves it unjudged.
    package func explain(_ answer: FormParameters, nonce: String?) async throws -> Explanation {
        var explanation = Explanation(rule: "self_issued")
        let terms = configuration.terms(for: nonce, at: time.now())
        let token: SelfIssuedToken
        do throws(SelfIssuedRefusal.Reason) {
            token = try SelfIssuedToken(answer: answer, terms: terms) { explanation.check($0, fails: nil) }
        } catch {
            explanation.check(error.explanation, fails: error.rawValue)
            return explanation
        }
        if nonce == nil { explanation.note("nonce", "not given; not judged here") }
        explanation.note("form", token.form.rawValue)
        explanation.note("thumbprint", token.thumbprint)
        try await explain(token.thumbprint, in: &explanation)
        return explanation
    }

    private func explain(_ thumbprint: String, in explanation: inout Explanation) async throws {
        guard let key = try await storage.linkedKey(thumbprint) else {
            let isRejected = configuration.unknownSubject == .reject
            explanation.check(
                "key belongs to somebody", fails: isRejected ? SelfIssuedRefusal.Reason.subjectUnknown.rawValue : nil,
                found: "nobody's: \(configuration.unknownSubject.rawValue)")
            return
        }
        guard
            explanation.check(
                "key is linked", fails: key.revokedAt == nil ? nil : SelfIssuedRefusal.Reason.subjectRevoked.rawValue)
        else { return }
        explanation.note("user", key.subject.rawValue)
        let standing = try await storage.standing(of: key.subject)
        explanation.check(
            ExplainedCheck.userMaySignIn,
            fails: standing == .disabled ? SelfIssuedRefusal.Reason.userDisabled.rawValue : nil)
    }
}
