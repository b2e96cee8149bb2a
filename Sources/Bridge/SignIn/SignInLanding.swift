/// Where a browser goes after a sign-in that no app asked for: a page of the default website, or the user's devices
/// when there is no website.
package struct SignInLanding: Sendable {
    private let clients: Reloadable<ClientDirectory>
    /// Of websites that have none of their own.
    private let publicOrigin: WebOrigin
    /// Of the console.
    private let adminOrigin: WebOrigin
    private let refusals: RefusalLog
    private let time: TimeSource

    /// - Parameter adminOrigin: `nil` where the console is at the public origin.
    package init(
        clients: Reloadable<ClientDirectory>, publicOrigin: WebOrigin, adminOrigin: WebOrigin? = nil,
        refusals: RefusalLog, time: TimeSource = .system
    ) {
        self.clients = clients
        self.publicOrigin = publicOrigin
        self.adminOrigin = adminOrigin ?? publicOrigin
        self.refusals = refusals
        self.time = time
    }

    /// An absolute URL: the path that was asked for when the website's list has it, else its default page.
    /// - Parameters:
    ///   - redirect: the bytes of the parameter; a refused one is recorded and does not fail the sign-in.
    ///   - here: where the sign-in was: its session is there, so pages about the account are shown there.
    package func location(
        for redirect: [UInt8]?, of subject: Subject, at here: WebOrigin, origin: RequestOrigin
    ) async throws -> String {
        if let own = ownPage(redirect, at: here) { return own.origin.description + own.path }
        let parameter = redirect.map { RedemptionRequest.RedirectParameter.bytes($0) } ?? .absent
        guard let website,
            let landing = Landing.decide(parameter, sealed: nil, website: website, ownOrigin: publicOrigin)
        else { return here.description + AccountPath.devices }
        if let refusal = landing.refusal {
            try await refusals.record(
                AuditEvent(
                    at: time.now(), type: .redirectRefused, outcome: .failure, reason: refusal.reason.rawValue,
                    subject: subject, targetClientID: website.id, origin: origin, detail: refusal.detail))
        }
        return landing.location
    }

    /// The origin that ``location(for:of:at:origin:)`` leads to.
    package func targetOrigin(for redirect: [UInt8]?, at here: WebOrigin) -> WebOrigin {
        ownPage(redirect, at: here)?.origin ?? website.map { $0.publicOrigin ?? publicOrigin } ?? here
    }

    /// A page of ours that is no website's.
    private func ownPage(_ redirect: [UInt8]?, at here: WebOrigin) -> (origin: WebOrigin, path: String)? {
        guard let text = redirect.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        if let path = ConsolePath.checked(text) { return (adminOrigin, path) }
        return AccountPath.checked(text).map { (here, $0) }
    }

    private var website: Client? {
        let directory = clients.current
        return directory.defaultTarget.flatMap { directory[$0] }
    }
}
