import OAuth2

/// Where a browser goes after a sign-in that no app asked for: a page of the default website, or the user's devices
/// when there is no website.
package final class SignInLanding: Sendable {
    private let clients: Reloadable<ClientDirectory>
    /// The origin of websites that have none of their own.
    private let publicOrigin: WebOrigin
    /// The origin of the console.
    private let adminOrigin: WebOrigin
    private let refusals: RefusalLog
    private let time: TimeSource

    /// - Parameter adminOrigin: `nil` where the console is at the public origin.
    package init(
        clients: Reloadable<ClientDirectory>, publicOrigin: WebOrigin, adminOrigin: WebOrigin? = nil,
        refusals: RefusalLog, time: TimeSource
    ) {
        self.clients = clients
        self.publicOrigin = publicOrigin
        self.adminOrigin = adminOrigin ?? publicOrigin
        self.refusals = refusals
        self.time = time
    }

    /// An absolute URL: the path that was asked for when the website's list has it, else its default page.
    /// - Parameters:
    ///   - redirect: the parameter; a refused one is recorded and does not fail the sign-in.
    ///   - here: where the sign-in was: its session is there, so pages about the account are shown there.
    package func location(
        for redirect: RedemptionRequest.RedirectParameter, of subject: Subject, at here: WebOrigin,
        origin: RequestOrigin
    ) async throws -> String {
        if case .bytes(let path) = redirect, let own = ownPage(path, at: here) {
            return own.origin.description + own.path
        }
        guard let website,
            let landing = Landing.decide(redirect, sealed: nil, website: website, ownOrigin: publicOrigin)
        else { return here.description + AccountPath.devices }
        if let refusal = landing.refusal {
            try await refusals.record(
                AuditEvent(
                    at: time.now(), type: .redirectRefused, outcome: .failure, reason: refusal.reason.rawValue,
                    subject: subject, targetClientID: website.id, origin: origin, detail: refusal.detail))
        }
        return landing.location
    }

    /// The website whose page it leads to, by a hand-off too; `nil` for a page of ours.
    package func website(for redirect: [UInt8]?) -> Client? {
        if let website = handedOnTo(redirect) { return website }
        return ownPage(redirect, at: publicOrigin) == nil ? website : nil
    }

    /// The website that a hand-off after the sign-in leads to.
    private func handedOnTo(_ redirect: [UInt8]?) -> Client? {
        let website = HandOffs.parameters(ofPath: redirect.map { String(decoding: $0, as: UTF8.self) })?["client_id"]
        return website.flatMap { clients.current[ClientID(rawValue: $0)] }
    }

    /// A page of ours that is not a website's.
    private func ownPage(_ redirect: [UInt8]?, at here: WebOrigin) -> (origin: WebOrigin, path: String)? {
        guard let text = redirect.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        if let path = ConsolePath.checked(text) { return (adminOrigin, path) }
        return (AccountPath.checked(text) ?? DevicePath.checked(text) ?? HandOffs.checked(text)).map { (here, $0) }
    }

    private var website: Client? { clients.current.defaultWebsite }
}

/// Pages about one's own account that a sign-in may lead to.
package enum AccountPath {
    package static let home = "/account"
    package static let password = "/account/password"
    package static let devices = "/account/devices"
    /// The apps and websites that the user has agreed to.
    package static let consents = "/account/consents"
    package static let secondFactor = "/account/second-factor"
    /// The phones' keys that the user may sign in with.
    package static let linkedKeys = "/account/phone-keys"
    package static let passkeys = "/account/passkeys"
    /// Asks whether everything of the user is to end, where the VA's paths are served (docs/va-sign-in.md).
    package static let signOutEverywhere = "/v0/sign_in/revoke_all_sessions"
    /// The second factor, for a user on the way to the console.
    package static let secondFactorForConsole = "/account/second-factor?for=console"

    /// The path, when it is one of these, byte for byte.
    package static func checked(_ text: String?) -> String? {
        [
            home, password, devices, consents, secondFactor, secondFactorForConsole, linkedKeys, passkeys,
            signOutEverywhere,
        ].first { text?.hasSameBytes(as: $0) == true }
    }

    /// Whether a session that came over an edge is shown something there as well: at the others users change how they
    /// sign in, or end everything, which takes their own sign-in (contract §16.2).
    package static func showsAnySession(_ path: String) -> Bool {
        [home, devices, consents].contains { path.hasSameBytes(as: $0) }
    }
}

/// The page at which a user lets another device in; a sign-in may lead there, with the code that was in the link.
package enum DevicePath {
    package static let page = "/device"
    package static let userCode = "user_code"

    /// - Parameter code: ``DeviceUserCode/shown``.
    package static func complete(_ code: String) -> String { "\(page)?\(userCode)=\(code)" }

    /// The path, when it is the page's: alone, or with a code of letters, digits and `-`.
    package static func checked(_ text: String?) -> String? {
        guard let text else { return nil }
        let bytes = Array(text.utf8)
        if bytes == Array(page.utf8) { return page }
        let beginning = Array(complete("").utf8)
        let code = bytes.dropFirst(beginning.count)
        guard bytes.starts(with: beginning), (1...16).contains(code.count),
            code.allSatisfy({ ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        return text
    }
}

/// Places of the console that a sign-in may lead to.
package enum ConsolePath {
    package static let home = "/admin/"
    package static let signIn = "/admin/sign-in"

    /// The path, with or without a query, when it is one of the console's own: below ``home`` for every reader, so
    /// without dot segments, empty ones, or escapes that stand for either (``ReturnPath``).
    package static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.starts(with: home.utf8), !text.utf8.starts(with: signIn.utf8),
            case .success(let path) = ReturnPath.parse(Array(text.utf8))
        else { return nil }
        return path.serialized
    }
}
