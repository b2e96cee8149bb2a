/// Says whether return paths take a redirect, which entry decides, and where a sign-in would land.
package struct RedirectExplainer: Sendable {
    private let policy: ReturnPathPolicy
    /// Put in front of the path; empty for the path alone.
    private let origin: String
    /// Where a website is landed that signs in by itself.
    private let signIn: String?

    /// - Parameter publicOrigin: where the pages are of a website that names no origin of its own.
    init(_ website: Client, publicOrigin: WebOrigin) {
        policy = website.returnPaths
        origin = (website.publicOrigin ?? publicOrigin).description
        signIn = website.landing == .initiateLogin ? website.initiateLoginURI : nil
    }

    /// Explains by entries that belong to no website.
    package init(_ policy: ReturnPathPolicy) {
        self.policy = policy
        origin = ""
        signIn = nil
    }

    /// Would this website take this redirect?
    /// - Parameter website: `nil` where no client has the id that was asked for.
    package static func explain(_ value: [UInt8], for website: Client?, publicOrigin: WebOrigin) -> Explanation {
        var explanation = Explanation(rule: rule)
        guard explanation.check("client is known", website != nil, else: .unknownClient), let website else {
            return explanation
        }
        let lacksPaths = website.returnPaths.defaultPath == nil
        // As a login token that would have to land there is refused.
        guard
            explanation.check(
                "client has return paths", fails: lacksPaths ? RedemptionRefusal.noReturnPaths.rawValue : nil)
        else { return explanation }
        let explainer = RedirectExplainer(website, publicOrigin: publicOrigin)
        // A parameter without a value counts as absent (contract §3): there is nothing that an entry could allow.
        if value.isEmpty { explanation.note("redirect", "absent") }
        explainer.add(value, to: &explanation)
        return explanation
    }

    /// Would these return paths take this redirect?
    package func explain(_ value: [UInt8]) -> Explanation {
        var explanation = Explanation(rule: Self.rule)
        add(value, to: &explanation)
        return explanation
    }

    private static let rule = "return_paths"

    private func add(_ value: [UInt8], to explanation: inout Explanation) {
        switch policy.decide(value) {
        case .accepted(let path):
            explanation.check("redirect is allowed", fails: nil)
            if let entry = policy.entry(allowing: path) {
                explanation.note("allowed by", entry.text)
                explanation.decided(by: entry.text)
            }
            note(landing: path, in: &explanation)
        case .refused(let refusal):
            explanation.check("redirect is allowed", fails: refusal.rawValue)
            note(landing: policy.defaultPath, in: &explanation)
        }
    }

    private func note(landing path: ReturnPath?, in explanation: inout Explanation) {
        let page = path.map { origin + $0.serialized }
        guard let signIn else { return explanation.note("lands on", page ?? "nowhere") }
        // The website asks us next, and goes on to the page itself, if it goes by target_link_uri.
        explanation.note("lands on", signIn)
        explanation.note("target_link_uri", page ?? "none")
    }
}
