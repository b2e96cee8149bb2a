package import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What the pages of one's own account call.
package final class AccountServices: Sendable {
    /// The stores that the pages read and change.
    package typealias Storage = UserStore & AuditLog & LinkedKeyStore

    let storage: any Storage
    let passwords: PasswordChange
    let consents: Consents

    package init(storage: any Storage, passwords: PasswordChange, consents: Consents) {
        self.storage = storage
        self.passwords = passwords
        self.consents = consents
    }
}

/// `/account`: who is signed in, and how: the door to everything that a user can do about it.
struct AccountController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, AccountPath.home, "account", as: .page, .session, show).shownAgain(.withoutQuery),
        Route(.get, AccountPath.password, "password", as: .page, .session, showPassword).shownAgain(.withoutQuery),
        Route(
            .post, AccountPath.password, "changePassword", as: .page,
            .secretSessionForm(.password, at: AccountPath.password), changePassword),
        Route(.get, setUpPath, "setUpPassword", as: .page, anyone: showSetUp),
        Route(
            .post, setUpPath, "finishPasswordSetUp", as: .page, .form(.passwordSetUp, isOfSession: false), finishSetUp),
    ]

    static let setUpPath = "/account/set-up"
    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let account: AccountServices
    let signIn: SignInServices
    /// Whether there is a page of devices.
    let offersDevices: Bool

    /// Events on the page, the newest first.
    private static let eventLimit = 20
    /// Pages of the log that they are looked for in: a busy app's events must not hide a password's change, nor a user
    /// with years of them cost a read of all.
    private static let (historyPage, historyPages) = (500, 10)

    /// The link that an administrator sends.
    static func setUpURL(_ link: Secret<String>, at origin: WebOrigin) -> String {
        "\(origin)\(setUpPath)?link=\(PercentEncoding.encode(link.expose()))"
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext, found: SignedIn) async throws -> Response {
        let session = found.session
        let storage = account.storage
        let known = try await storage.account(of: session.subject)
        // A session that came over an edge is somebody's who need not be the user: it is shown no history.
        let history = session.isOwnSignIn ? try await history(of: session.subject) : (latest: [], hasEarlier: false)
        let page = AccountPage(
            session: session, account: known, isOwn: session.isOwnSignIn,
            recoveryCodesLeft: known?.secondFactor == nil
                ? nil : try await storage.unusedRecoveryCodes(of: session.subject),
            identities: try await storage.identities(of: session.subject),
            keys: try await storage.linkedKeys(of: session.subject).count,
            passkeys: try await passkeyCount(session.subject, request), events: history.latest,
            hasEarlierEvents: history.hasEarlier, offersDevices: offersDevices,
            offersKeys: signIn.selfIssued != nil,
            mayLinkKeys: signIn.selfIssued?.signIn.configuration.isOffered == true)
        let directory = clients.current
        return pages.account(
            page, clientName: { directory[$0]?.name ?? $0.rawValue }, to: pageVisitor(request, context))
    }

    /// - Returns: `nil` where there are none to have.
    private func passkeyCount(_ subject: Subject, _ request: Request) async throws -> Int? {
        guard let passkeys = signIn.passkeys, PasskeyParty(origins.own(of: request)) != nil else { return nil }
        return try await passkeys.enrolment.passkeys(of: subject).count
    }

    /// What happened to the account, as far as its user understands it.
    private func history(of subject: Subject) async throws -> (latest: [AuditRecord], hasEarlier: Bool) {
        var filter = AuditFilter()
        filter.subject = subject
        var found: [AuditRecord] = []
        var cursor: AuditCursor?
        for _ in 0..<Self.historyPages {
            let page = try await account.storage.search(filter, before: cursor, limit: Self.historyPage)
            found += page.records.filter { AccountPage.shows($0.event.type) }
            cursor = page.next
            guard found.count <= Self.eventLimit, cursor != nil else { break }
        }
        // What was not read may hold some, too.
        return (Array(found.prefix(Self.eventLimit)), found.count > Self.eventLimit || cursor != nil)
    }

    @Sendable func showPassword(
        _ request: Request, context: BridgeRequestContext, found: SignedIn
    ) async throws -> Response {
        try await passwordPage(found.session, request.uri.query == "changed" ? .changed : nil, request, context)
    }

    @Sendable func changePassword(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: BrowserForm)
    ) async throws -> Response {
        let session = sent.found.session
        let fields = sent.form.parameters
        guard sent.form.isOurs else { return try await passwordPage(session, .stale, request, context) }
        let new = fields["new_password"] ?? ""
        guard new == fields["again"] ?? "" else { return try await passwordPage(session, .differs, request, context) }
        let outcome = try await account.passwords.change(
            from: Secret(fields["password"] ?? ""), to: Secret(new), in: session,
            origin: context.recognisedOrigin(of: request))
        switch outcome {
        case .changed(let opened):
            var response = onward("\(AccountPath.password)?changed", request)
            try setCookies(of: opened, in: &response.headers)
            return response.knowingBrowser(by: opened.recognition)
        case .flawed(let flaw): return try await passwordPage(session, .flawed(flaw), request, context)
        case .wrongPassword: return try await passwordPage(session, .wrong, request, context)
        case .limited(let wait): return try await passwordPage(session, .limited(wait), request, context)
        case .stale: return onward(SignInController.path(backTo: AccountPath.password), request)
        }
    }

    private func passwordPage(
        _ session: WebSession, _ notice: PasswordNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let known = try await account.storage.account(of: session.subject)
        // Who has no password here has none to change; who may not change it with this session signs in once more.
        guard known?.passwordHash == nil || session.isOwnSignIn else {
            return onward(SignInController.path(backTo: AccountPath.password), request)
        }
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.password(
            PasswordPage(
                title: "title", action: AccountPath.password, username: known?.username?.text,
                isOffered: known?.passwordHash != nil, asksOld: true, notice: notice,
                hasKeys: try await hasKeys(session.subject, after: notice),
                hasPasskeys: try await hasPasskeys(session.subject, after: notice),
                formToken: try formTokens.make(for: .password, binding: binding, session: request.sessionSecret)),
            to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// Users who change their password because somebody else was in learn what it did not end.
    private func hasKeys(_ subject: Subject, after notice: PasswordNotice?) async throws -> Bool {
        guard case .changed = notice, signIn.selfIssued != nil else { return false }
        return try await !account.storage.linkedKeys(of: subject).isEmpty
    }

    private func hasPasskeys(_ subject: Subject, after notice: PasswordNotice?) async throws -> Bool {
        guard case .changed = notice else { return false }
        return try await hasPasskeys(subject)
    }

    private func hasPasskeys(_ subject: Subject) async throws -> Bool {
        guard let passkeys = signIn.passkeys else { return false }
        return try await !passkeys.enrolment.passkeys(of: subject).isEmpty
    }

    @Sendable func showSetUp(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        return try await setUpPage(Secret(query["link"] ?? ""), nil, request, context)
    }

    @Sendable func finishSetUp(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let link = Secret(form.parameters["link"] ?? "")
        guard form.isOurs else { return try await setUpPage(link, .stale, request, context) }
        let new = form.parameters["new_password"] ?? ""
        guard new == form.parameters["again"] ?? "" else {
            return try await setUpPage(link, .differs, request, context)
        }
        let outcome = try await account.passwords.setUp(
            Secret(new), invitedBy: link, origin: context.recognisedOrigin(of: request))
        switch outcome {
        case .isSet(_, let recognition):
            return onward(SignInController.pathAfterSetUp, request).knowingBrowser(by: recognition)
        case .flawed(let flaw): return try await setUpPage(link, .flawed(flaw), request, context)
        case .stale: return try await setUpPage(link, .used, request, context)
        }
    }

    private func setUpPage(
        _ link: Secret<String>, _ notice: PasswordNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        // What was refused with a notice is written down already.
        let invited = try await account.passwords.account(
            invitedBy: link, origin: notice == nil ? context.origin(of: request) : nil)
        // Whoever was helped to a new password may have lost the account to somebody who left a passkey.
        let hasPasskeys = if let invited { try await hasPasskeys(invited.subject) } else { false }
        var response = pages.password(
            PasswordPage(
                title: "set_up_title", action: Self.setUpPath, username: invited?.username?.text,
                isOffered: invited != nil, asksOld: false, notice: invited == nil ? .used : notice,
                link: invited == nil ? nil : link, hasPasskeys: hasPasskeys,
                formToken: try formTokens.make(for: .passwordSetUp, binding: binding)),
            to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }
}
