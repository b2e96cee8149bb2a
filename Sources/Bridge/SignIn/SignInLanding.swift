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

    /// A page of ours that is not a website's.
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

/// Pages about one's own account that a sign-in may lead to.
package enum AccountPath {
    package static let devices = "/account/devices"
    package static let secondFactor = "/account/second-factor"
    /// The same, for somebody on the way to the console.
    package static let secondFactorForConsole = "/account/second-factor?for=console"

    /// The path, when it is one of these, byte for byte.
    package static func checked(_ text: String?) -> String? {
        [devices, secondFactor, secondFactorForConsole].first { text?.utf8.elementsEqual($0.utf8) == true }
    }
}

/// Places of the console that a sign-in may lead to.
package enum ConsolePath {
    package static let home = "/admin/"
    package static let signIn = "/admin/sign-in"

    /// The path, with or without a query, when it is one of the console's own: below ``home`` whoever reads it, so
    /// without dot segments, empty ones, or escapes that stand for either (``ReturnPath``).
    package static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.starts(with: home.utf8), !text.utf8.starts(with: signIn.utf8),
            case .success(let path) = ReturnPath.parse(Array(text.utf8))
        else { return nil }
        return path.serialized
    }
}
