import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/login-with-token` and its further paths (contract §4).
struct RedemptionController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, LoginTokenSettings.redemptionPath, "redeem", as: .page, anyone: visit).head(head),
        Route(.post, LoginTokenSettings.redemptionPath, "redeemByForm", as: .page, anyone: submit),
    ]

    /// At the provider's origin for websites whose sign-in there is to be answered (``isInPlace(_:_:)``).
    static let place: Origins.Purposes? = [.website, .provider]
    /// Mounted where the settings say.
    static let reservation = RouteReservation.nothing
    static let unavailable = Unavailable.link

    let kit: BrowserPages
    let redeemer: LoginTokenRedeemer
    let accounts: any UserStore

    private var reader: VisitReader { VisitReader(formTokens: formTokens) }

    @Sendable func visit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await answer(request, reader.read(request, form: nil, at: origins.own(of: request)), context: context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        guard body.isEmpty || BodyReader.isForm(request) else {
            throw OAuthError(.unsupportedMediaType)
        }
        return try await answer(
            request, reader.read(request, form: body, at: origins.own(of: request)), context: context)
    }

    /// The confirm page's headers. No state is touched, not even the form's cookie is set (contract §4.2). The page has
    /// the form's fields where a token is shown, so its length is not this one's (RFC 9110 §8.6).
    @Sendable func head(_ request: Request, context: BridgeRequestContext) -> Response {
        var answer = pages.confirm(
            action: Self.action(context), fields: [], submitsItself: false, code: .none,
            to: pageVisitor(request, context))
        answer.headers[.contentLength] = nil
        return answer
    }

    private func answer(
        _ request: Request, _ reading: VisitReader.Reading, context: BridgeRequestContext
    ) async throws -> Response {
        let parameters = reading.parameters
        guard try await isInPlace(reading.token, request) else { throw OAuthError(.notFound) }
        let tokenSessions = try await browsers.tokenSessionsToEnd(of: request)
        try await context.requireAwaited()
        let outcome = try await RetryCookie.telling {
            try await redeemer.redeem(
                RedemptionRequest(
                    token: reading.token, redirect: parameters.redirect, codeVerifier: parameters.verifiers.first,
                    // Typed into a form of ours, never part of a link.
                    typedCode: reading.visit.carrier == .form ? parameters.typedCode : nil, visit: reading.visit,
                    confirmsSwitch: reading.confirmsSwitch,
                    sessionSecret: request.sessionSecret, tokenSessions: tokenSessions.map(\.session),
                    retry: request.cookie(RetryCookie.name),
                    handOffState: request.cookie(HandOffCookie.name).flatMap { HandOffState($0) },
                    origin: context.origin(of: request)))
        }
        switch outcome {
        case .landed(let location, let opened):
            return try await RetryCookie.telling {
                try await redeemer.deliver(opened) { try await landed(at: location, opened, tokenSessions, request) }
            }
        // Of the place and not of the token: all refusals look the same (contract §4.3).
        case .refused: return pages.refused(to: await kit.atHome(pageVisitor(request, context), request))
        case .limited(let wait):
            let visitor = await kit.atHome(pageVisitor(request, context), request)
            return pages.limited(retryAfter: wait, of: .links, to: visitor)
        case .confirm(let submitsItself, let code):
            let visitor = pageVisitor(request, context, for: try await website(of: reading.token))
            let stay = await stay(reading.token, request)
            return try withForm(.redeem, request, reading) { fields in
                pages.confirm(
                    action: Self.action(context), fields: fields, submitsItself: submitsItself, code: code,
                    stay: stay, to: visitor)
            }
        case .switchAccount(let current, let proposed):
            let home = try await home(of: current, request)
            let visitor = pageVisitor(request, context, for: try await website(of: reading.token))
            let (known, other) = (try await person(current), try await person(proposed))
            return try withForm(.switchAccount, request, reading) { fields in
                pages.switchAccount(
                    current: known, proposed: other, home: home, action: Self.action(context), fields: fields,
                    to: visitor)
            }
        }
    }

    /// The way on for whoever is signed in and came without a token, as by loading the page of two accounts again: its
    /// address has none any more. To find it out is no use of the session; without its store there is no such way.
    private func stay(
        _ token: RedemptionRequest.PresentedToken, _ request: Request
    ) async -> (name: String, url: String)? {
        guard case .none = token else { return nil }
        do {
            guard let subject = try await browsers.firstAtHome(of: request)?.subject else { return nil }
            return (try await person(subject).name, try await home(of: subject, request))
        } catch {
            return nil
        }
    }

    private func person(_ subject: Subject) async throws -> Person {
        Person(subject, try await accounts.account(of: subject))
    }

    /// - Returns: `nil` where no token of ours names one.
    private func website(of token: RedemptionRequest.PresentedToken) async throws -> Client? {
        guard case .one(let token) = token else { return nil }
        return try await redeemer.website(of: token)
    }

    /// The route's own path: never what was asked for, which might name another host.
    private static func action(_ context: BridgeRequestContext) -> String {
        context.endpointPath ?? LoginTokenSettings.redemptionPath
    }

    /// Whether a link may be opened at the origin that it came to. Where the provider has one of its own, only sessions
    /// that answer a website's own sign-in belong there, if there is such a website. A token that names no website is
    /// passed on: the redeemer refuses it.
    private func isInPlace(_ token: RedemptionRequest.PresentedToken, _ request: Request) async throws -> Bool {
        guard origins.configured.areApart, !origins.place(of: request).purposes.contains(.website) else { return true }
        guard clients.current.hasLandingsAtSignIn else { return false }
        guard case .one(let token) = token, let website = try await redeemer.website(of: token) else { return true }
        return website.landsAtSignIn(besides: origins.configured.website)
    }

    private func landed(
        at location: String, _ opened: OpenedSession?, _ tokenSessions: [SignedIn], _ request: Request
    ) async throws -> Response {
        var response = Response.seeOther(location)
        response.headers[.xRobotsTag] = "noindex"
        if let opened {
            try setCookies(of: opened, in: &response.headers)
            try await takeCookies(besides: opened, of: tokenSessions, request, in: &response.headers)
            browserSignOut.takeRenewable(of: request, besides: tokenSessions, in: &response.headers)
            if request.cookie(HandOffCookie.name) != nil { HandOffCookie.clear(in: &response.headers) }
        }
        return response
    }

    /// A page with a form that brings back what this request carried, bound to this browser.
    private func withForm(
        _ purpose: FormTokens.Purpose, _ request: Request, _ reading: VisitReader.Reading,
        page: ([HiddenField]) -> Response
    ) throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var fields: [HiddenField] = []
        switch reading.token {
        case .none: break
        case .one(let token): fields.append(HiddenField(name: "token", value: token.expose()))
        // Two, be they empty: the form's POST is refused as this request would have been.
        case .conflicting: fields += Array(repeating: HiddenField(name: "token", value: ""), count: 2)
        }
        // A repeated redirect stays repeated, so that the form's POST is judged as this request would have been.
        let redirects = reading.parameters.redirects
        for redirect in redirects where redirects.count > 1 || !redirect.isEmpty {
            fields.append(HiddenField(name: "redirect", value: String(decoding: redirect, as: UTF8.self)))
        }
        if let verifier = reading.parameters.verifiers.first {
            fields.append(HiddenField(name: "code_verifier", value: verifier))
        }
        // It was right, or nobody would be asked about accounts; the answer to that is not its second try.
        if purpose == .switchAccount, let code = reading.parameters.typedCode {
            fields.append(HiddenField(name: "login_code", value: code))
        }
        let session = purpose == .switchAccount ? request.sessionSecret : nil
        let formToken = try formTokens.make(for: purpose, binding: binding, session: session)
        fields.append(HiddenField(name: BrowserForm.tokenField, value: formToken))
        var response = page(fields)
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// Where "no" leads: the website of the user who is signed in in this browser.
    private func home(of subject: Subject, _ request: Request) async throws -> String {
        let found = try await browsers.all(of: request)
        let publicOrigin = origins.configured.website
        guard let session = found.first(where: { $0.session.subject == subject })?.session,
            let website = clients.current[session.clientID], let path = website.returnPaths.defaultPath
        else { return publicOrigin.description + "/" }
        return (website.publicOrigin ?? publicOrigin).description + path.serialized
    }
}
