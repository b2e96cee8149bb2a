import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/signin/phone`: the computer's page of a sign-in that a phone approves (contract §9).
struct PhoneSignInController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "phoneSignIn", as: .page, .signInVisit, show).withoutHead,
        Route(.get, statusPath, "phoneSignInStatus", as: .json, anyone: status).withoutHead,
        Route(
            .post, confirmPath, "confirmPhoneSignIn", as: .page,
            .signInForm(.phoneSignIn, field: PhoneSignInController.formField), confirm),
        Route(.get, "/x/{id}", "phoneSignInLink", as: .page, anyone: explain).shownAgain(.withoutQuery).opensInApps,
    ]

    /// All in one place: their cookie belongs to one host.
    static let place: Origins.Purposes? = [.provider]
    static let reservation = RouteReservation.paths
    static let unavailable = Unavailable.signIn

    static let path = "/signin/phone"
    static let statusPath = "/signin/phone/status"
    static let confirmPath = "/signin/phone/confirm"
    /// The form's token, as contract §9 names it.
    static let formField = "csrf"

    let flow: SignInFlow
    let phones: PhoneSignInServices

    /// A new one for each visit; with `seen`, which a page without script adds when it looks again, the browser's own.
    @Sendable func show(
        _ request: Request, context: BridgeRequestContext, asked: SignInVisit
    ) async throws -> Response {
        let visit = visit(asked, request, context)
        // A browser that looks ahead and a foreign page must not end the page that somebody has open: the sign-in page
        // has the button.
        guard FetchMetadata.isOwnVisit(request.headers) else {
            return .seeOther("\(visit.here)\(visit.errand.url)")
        }
        let secret = request.phoneSignInSecret
        if asked.query["seen"] != nil, let secret {
            return try page(try await phones.signIns.page(of: secret), visit)
        }
        switch try await phones.signIns.begin(replacing: secret, origin: context.recognisedOrigin(of: request)) {
        case .started(let begun):
            var response = try page(begun, visit)
            PhoneSignInCookie.set(begun.secret, in: &response.headers)
            return response
        case .limited(let wait): return pages.limited(retryAfter: wait, of: .signIns, to: visit.visitor)
        }
    }

    /// Answers when the state is no longer `seen`, or after a while with the same one; at once where there is no place
    /// to wait. A visitor who goes away meanwhile gives the place up.
    @Sendable func status(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        guard let secret = request.phoneSignInSecret else { throw OAuthError(.notFound) }
        let news: PhoneSignInNews
        do {
            news = try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await phones.signIns.news(
                    of: secret, on: query["tab"], seen: query["seen"].flatMap(PhoneSignInState.init(rawValue:)))
            }
        } catch is CancellationError where !Task.isCancelled {
            // The visitor has gone. Nobody reads this, and in the figures it is no failure.
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
        var body = JSONObjectWriter()
        body.add("state", news.page.state.rawValue)
        body.add("left", Int64(news.page.left))
        var response = Response.json(body)
        // Who listens for the visitor's going reads what comes on the connection, and cannot give it back. Besides,
        // idle connections cost a node more than the pages that look again.
        response.headers[.connection] = "close"
        if let pause = news.nextQuestionAfter { response.headers[.retryAfter] = String(pause.roundedUpSeconds) }
        return response
    }

    @Sendable func confirm(
        _ request: Request, context: BridgeRequestContext, sent: SignInForm
    ) async throws -> Response {
        let form = sent.form
        let visit = visit(sent, request, context)
        guard let secret = request.phoneSignInSecret else { return again(visit) }
        guard form.isOurs else { return try page(try await phones.signIns.page(of: secret), visit, .stale) }
        let current = try await browsers.replaceable(in: request)
        let outcome = try await phones.signIns.confirm(
            form.parameters["code"] ?? "", by: secret, for: visit.errand.handOff, replacing: current,
            origin: context.origin(of: request))
        switch outcome {
        case .signedIn(let opened):
            var response = try await flow.proceed(
                visit.errand, opened, browser: visit.browser, request, context)
            PhoneSignInCookie.clear(in: &response.headers)
            return response
        case .handedOn(let link, of: let subject):
            var response = try await flow.goOn(by: link, of: subject, request, context)
            PhoneSignInCookie.clear(in: &response.headers)
            return response
        case .notEnough:
            var response = try await flow.notEnoughElsewhere(
                visit.errand, browser: visit.browser, session: current, request, context)
            PhoneSignInCookie.clear(in: &response.headers)
            return response
        case .noDigits(let reached): return try page(reached, visit, .noDigits)
        case .wrong(let reached): return try page(reached, visit, .wrongDigits)
        case .notYet(let reached): return try page(reached, visit, .notYet)
        case .over(let reached): return try page(reached, visit)
        }
    }

    /// Where the phone's link leads in a browser: the app is not there, or this is not the phone. Says nothing of any
    /// sign-in, there or not.
    @Sendable func explain(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let isSameBrowser =
            request.phoneSignInSecret.map { phones.signIns.isLink(context.parameters.get("id"), of: $0) } ?? false
        return pages.phoneHelp(isSameBrowser: isSameBrowser, to: pageVisitor(request, context))
    }

    /// What the page is made for.
    private struct Visit: Sendable {
        let errand: SignInErrand
        let browser: OpaqueSecret
        let here: WebOrigin
        let visitor: PageVisitor
    }

    private func visit(
        _ admitted: some AdmittedSignIn, _ request: Request, _ context: BridgeRequestContext
    ) -> Visit {
        Visit(
            errand: admitted.errand, browser: admitted.browser, here: origins.own(of: request),
            visitor: pageVisitor(request, context))
    }

    private func again(_ visit: Visit) -> Response {
        .seeOther("\(visit.here)\(Self.path)\(visit.errand.querySuffix)")
    }

    private func page(
        _ content: PhoneSignInPage, _ visit: Visit, _ notice: PhonePageNotice? = nil
    ) throws -> Response {
        let token = try formTokens.make(for: .phoneSignIn, binding: visit.browser)
        var response = pages.phone(
            PhonePage(
                content: content, link: "\(origins.configured.issuer)/x/\(content.id)",
                host: String(visit.here.authority),
                notice: notice,
                fields: visit.errand.fields + [HiddenField(name: Self.formField, value: token)],
                errand: visit.errand),
            to: visit.visitor)
        FormCookie.set(visit.browser, in: &response.headers)
        return response
    }
}

/// The cookie that ties a sign-in to the browser that began it: to no other, and to no request that another site makes.
enum PhoneSignInCookie {
    static let name: StaticString = "__Host-xd"

    static func set(_ secret: OpaqueSecret, in headers: inout HTTPFields) {
        headers.setCookie(name, secret.expose(), for: PhoneSignInPage.lifetime, sameSite: .strict)
    }

    static func clear(in headers: inout HTTPFields) { headers.clearCookie(name, sameSite: .strict) }
}

extension Request {
    fileprivate var phoneSignInSecret: OpaqueSecret? {
        cookie(PhoneSignInCookie.name).flatMap { OpaqueSecret($0, kind: .phoneSignIn) }
    }
}
