/// Where a browser goes after a sign-in that no app asked for: a page of the default website, or the user's devices
/// when there is no website.
package struct SignInLanding: Sendable {
    private let clients: Reloadable<ClientDirectory>
    private let publicOrigin: WebOrigin
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        clients: Reloadable<ClientDirectory>, publicOrigin: WebOrigin, refusals: RefusalLog,
        time: TimeSource = .system
    ) {
        self.clients = clients
        self.publicOrigin = publicOrigin
        self.refusals = refusals
        self.time = time
    }

    /// An absolute URL: the path that was asked for when the website's list has it, else its default page.
    /// - Parameter redirect: the bytes of the parameter; a refused one is recorded and does not fail the sign-in.
    package func location(for redirect: [UInt8]?, of subject: Subject, origin: RequestOrigin) async throws -> String {
        if let text = redirect.map({ String(decoding: $0, as: UTF8.self) }),
            let own = ConsolePath.checked(text) ?? AccountPath.checked(text)
        {
            return publicOrigin.description + own
        }
        let parameter = redirect.map { RedemptionRequest.RedirectParameter.bytes($0) } ?? .absent
        guard let website,
            let landing = Landing.decide(parameter, sealed: nil, website: website, ownOrigin: publicOrigin)
        else { return publicOrigin.description + AccountPath.devices }
        if let refusal = landing.refusal {
            try await refusals.record(
                AuditEvent(
                    at: time.now(), type: .redirectRefused, outcome: .failure, reason: refusal.reason.rawValue,
                    subject: subject, targetClientID: website.id, origin: origin, detail: refusal.detail))
        }
        return landing.location
    }

    /// The origin that ``location(for:of:origin:)`` leads to.
    package var targetOrigin: WebOrigin { website?.publicOrigin ?? publicOrigin }

    private var website: Client? {
        let directory = clients.current
        return directory.defaultTarget.flatMap { directory[$0] }
    }
}
