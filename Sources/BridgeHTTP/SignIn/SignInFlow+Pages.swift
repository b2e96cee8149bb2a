import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The pages that the sign-in shows.
extension SignInFlow {
    /// The page that asks for what the browser's session lacks: for everything, for its user's password, or for a code.
    /// - Parameter byTokens: the session that cookies of the profile `tokens` open, where the page is to tell of it.
    func missingPage(
        _ errand: SignInErrand, _ notice: SignInNotice? = nil, username: String? = nil, browser: OpaqueSecret,
        session: WebSession?, byTokens: WebSession? = nil, at here: WebOrigin, to visitor: PageVisitor
    ) async throws -> Response {
        switch (try await missing(errand, browser: browser, session: session), session) {
        case (.password(let account), _):
            var asked = notice
            if case .refused = notice { asked = .wrongPassword }
            return try page(errand, asked, of: account, browser: browser, at: here, to: visitor)
        case (.code(let account), let session?):
            let pending = try services.signIn.raise(session, browser: browser)
            return try codePage(errand, pending, notice, of: account, browser: browser, to: visitor)
        case (.everything, _), (.code, nil):
            let told: SignInNotice? =
                if let notice { notice } else { try await shortfall(errand, browser: browser, session: session) }
            return try page(
                errand, told, username: username, replacing: session ?? byTokens, browser: browser, at: here,
                to: visitor)
        }
    }

    /// What the page says to somebody whose own sign-in is not what an app or a website asks for, as when an upstream
    /// provider has answered with an earlier one, or for whom another device answered to no avail: without an
    /// explanation the page would just come again.
    private func shortfall(
        _ errand: SignInErrand, browser: OpaqueSecret, session: WebSession?
    ) async throws -> SignInNotice? {
        guard !errand.isForAnother, let session else { return nil }
        let isFromElsewhere = session.opening == .deviceCode
        if let journey = errand.journey {
            guard session.isOwnSignIn || isFromElsewhere,
                try await services.authorizations.fallsShort(session, of: journey, browser: browser)
            else { return nil }
            return isFromElsewhere ? .notEnoughElsewhere : .notEnough
        }
        if isFromElsewhere, let notice = shortfallElsewhere(errand) { return notice }
        guard isTooWeak(session.authentication, for: errand) else { return nil }
        return try await mayAddSecondFactor(session, for: errand) ? .lacksSecondFactor : .notEnough
    }

    /// What the browser's session lacks for what it is here for.
    func missing(
        _ errand: SignInErrand, browser: OpaqueSecret, session: WebSession?
    ) async throws -> MissingProof {
        guard !errand.isForAnother, let session else { return .everything }
        if let journey = errand.journey {
            return try await services.authorizations.missing(for: journey, browser: browser, session: session)
        }
        // Who comes from the console is known there; the code's page follows the password by itself.
        // So are users who change how they sign in; a session that came over an edge is not told a name.
        guard session.isOwnSignIn,
            [.console, .account].contains(errand.destination) || isTooWeak(session.authentication, for: errand),
            let account = try await services.accounts.account(of: session.subject), account.passwordHash != nil,
            account.username != nil, account.disabledAt == nil
        else { return .everything }
        return errand.destination == .website ? missing(errand, session, of: account) : .password(account)
    }

    /// The page for a change in the console that takes a newer sign-in than its sender's.
    /// - Parameter page: where a form that nothing keeps is filled in once more.
    func againForConsole(
        _ form: FormParameters, from page: String, by sender: Subject?, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        let browser = FormCookie.binding(of: request, random: random)
        // No use of it: what waits is refused for one that lay unused for too long.
        let session = try await browsers.sessionWithoutUse(of: request)
        let held = try (sender ?? session?.subject).flatMap { HeldForm(form, path: request.uri.path, by: $0) }
            .map { try $0.sealed(with: services.heldForms, for: browser) }
        return try await missingPage(
            SignInErrand(forConsole: held, from: page), .changeWaits(isKept: held != nil), browser: browser,
            session: session, at: origins.own(of: request), to: pageVisitor(request, context))
    }

    /// The sign-in page.
    /// - Parameters:
    ///   - account: whose password alone is asked for; `nil` for the complete page.
    ///   - session: the browser's, which is not enough.
    ///   - here: our origin that shows it.
    func page(
        _ errand: SignInErrand, _ notice: SignInNotice? = nil, username: String? = nil, of account: Account? = nil,
        replacing session: WebSession? = nil, browser: OpaqueSecret, at here: WebOrigin, to visitor: PageVisitor
    ) throws -> Response {
        let request = request(errand, browser)
        var content = SignInPage(
            fields: errand.fields + [try token(browser)], querySuffix: errand.querySuffix,
            destination: errand.destination, notice: notice,
            username: account?.username?.text ?? username ?? request?.loginHint,
            clientName: request?.client.name)
        content.passkey = try passkeyRequest(browser, at: here)
        if case .lacksSecondFactor = notice { content.secondFactorURL = AccountPath.secondFactor }
        if let account {
            content.known = (account.shownName, errand.forAnother.url)
        } else {
            // Whoever is to be somebody else need not hear what is wrong with this one.
            content.isByLink = !errand.isForAnother && session?.isOwnSignIn == false
            content.providers = providers(errand)
            content.selfIssuedURL = selfIssuedURL(errand, request)
            content.phoneURL = phoneURL(errand, request, besides: session)
        }
        var response = pages.signIn(content, to: visitor.preferring(request?.uiLocales).themed(by: request?.client))
        FormCookie.set(browser, in: &response.headers)
        return response
    }

    /// The page of the code.
    /// - Parameter account: whose code alone is asked for; `nil` after the password.
    func codePage(
        _ errand: SignInErrand, _ pending: String, _ notice: SignInNotice? = nil, of account: Account? = nil,
        browser: OpaqueSecret, to visitor: PageVisitor
    ) throws -> Response {
        let request = request(errand, browser)
        var response = pages.code(
            CodePage(
                fields: errand.fields + [HiddenField(name: "pending", value: pending), try token(browser)],
                querySuffix: errand.querySuffix, destination: errand.destination, notice: notice,
                clientName: request?.client.name,
                otherAccountURL: errand.forAnother.url, name: account?.shownName),
            to: visitor.preferring(request?.uiLocales).themed(by: request?.client))
        FormCookie.set(browser, in: &response.headers)
        return response
    }

    private func request(_ errand: SignInErrand, _ browser: OpaqueSecret) -> AuthorizationRequest? {
        errand.journey.flatMap { services.authorizations.request(of: $0, browser: browser) }
    }

    private func token(_ browser: OpaqueSecret) throws -> HiddenField {
        HiddenField(name: BrowserForm.tokenField, value: try formTokens.make(for: .signIn, binding: browser))
    }

    /// The page that starts a sign-in with a key on a phone.
    /// - Returns: `nil` where that one factor is not enough, and where no page offers it.
    private func selfIssuedURL(_ errand: SignInErrand, _ request: AuthorizationRequest?) -> String? {
        guard let phones = services.selfIssued, phones.signIn.configuration.isOffered, errand.destination != .console,
            request?.acceptsOneFactor ?? !isTooWeak(.ofOneFactor, for: errand)
        else { return nil }
        return SelfIssuedController.startURL(for: errand)
    }

    private func passkeyRequest(_ browser: OpaqueSecret, at here: WebOrigin) throws -> PasskeyRequest? {
        guard let passkeys = services.passkeys, let party = PasskeyParty(here) else { return nil }
        return PasskeyRequest(party: party, challenge: try passkeys.signIn.challenge(browser: browser, at: party))
    }

    private func providers(_ errand: SignInErrand) -> [(name: String, url: String)] {
        (services.upstream?.signIn.providers ?? []).map { provider in
            (provider.name, "\(SignInController.path)/with/\(provider.id)\(errand.querySuffix)")
        }
    }

    /// The page that a phone signs in at; `nil` where that cannot be enough.
    private func phoneURL(
        _ errand: SignInErrand, _ request: AuthorizationRequest?, besides session: WebSession?
    ) -> String? {
        guard services.phone != nil, takes(.app, for: errand, request, besides: session) else { return nil }
        return PhoneSignInController.path + errand.querySuffix
    }
}
