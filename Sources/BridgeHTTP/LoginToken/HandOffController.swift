import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/session/hand-off`: from a website where the user is signed in to one of another domain (contract §4.6).
struct HandOffController: BrowserGroup {
    static let routes: [Route<Self>] = [
        // HEAD must not issue a token, so it does not follow GET here.
        Route(.get, HandOffs.path, "handOff", anyone: follow).withoutHead,
        Route(.post, HandOffs.path, "makeHandOff", as: .json, anyone: make),
    ]

    static let place: Origins.Purposes? = [.website, .provider]

    let handOffs: HandOffs
    let flow: SignInFlow

    var kit: BrowserPages { flow.kit }

    /// A link for a page of ours, which its visitor confirms with a click at the other website.
    @Sendable func make(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        guard SameOriginProof(publicOrigin: origins.own(of: request)).holds(for: request) else {
            try await recordForeignPage(request, context)
            throw OAuthError(.forbidden, "a hand-off takes a page of the same origin")
        }
        guard let session = try await sessionToHandOn(of: request) else { throw AuthCheckController.signedOut }
        let answer = try await handOffs.link(
            reading: { try await Self.handOff(inBodyOf: request) }, from: session, origin: context.origin(of: request))
        var body = JSONObjectWriter()
        body.add("login_url", answer.loginURL.expose())
        return .json(body)
    }

    /// A website found nobody signed in, and sends its visitor here.
    @Sendable func follow(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let visitor = pageVisitor(request, context)
        // Nobody looks at a frame or at what is fetched ahead.
        guard !PrefetchSignal.isPresent(in: request.headers), !isEmbedded(request) else {
            throw OAuthError(.forbidden, "a hand-off cannot be part of another page")
        }
        let handOff: Result<HandOffs.Request, any Error> = Result { try Self.handOff(inQueryOf: request) }
        guard let session = try await session(of: request) else {
            _ = try handOff.get()
            return try await signInFirst(request, to: visitor)
        }
        do {
            switch try await handOffs.follow(handOff, from: session, origin: context.origin(of: request)) {
            case .stuck: return pages.stuckHandOff(to: visitor)
            case .link(let answer): return .goingOn(by: answer)
            }
        } catch let refusal as OAuthError where refusal.code == .insufficientUserAuthentication {
            guard let page = try await signInBetter(request, refusal, session, to: visitor) else { throw refusal }
            return page
        } catch let refusal as OAuthError where refusal.detail == RefusalReason.chainedSession.rawValue {
            // To its visitor it is as if nobody were signed in, as at the authorization endpoint (A10, 2): an error would
            // be the end of every way to the website.
            guard takesPage(request) else { throw refusal }
            _ = try handOff.get()
            var page = try await signInFirst(request, besides: session, to: visitor)
            // Somebody is signed in, and it is not enough (RFC 9110 §15.5.4).
            page.status = .init(code: refusal.code.status)
            page.headers[.wwwAuthenticate] = nil
            return page
        }
    }

    private func session(of request: Request) async throws -> WebSession? {
        try await browsers.openedHere(by: request)
    }

    /// The session of the profile `session`; else one of `tokens`, which was handed over itself, so that this is what
    /// it is refused for (contract §16.4).
    private func sessionToHandOn(of request: Request) async throws -> WebSession? {
        if let session = try await session(of: request) { return session }
        guard let other = try await browsers.visitor(of: request)?.session, !other.isOwnSignIn else { return nil }
        return other
    }

    /// Old browsers say nothing of frames; to those the session's cookie is not sent, because it is `Lax`.
    private func isEmbedded(_ request: Request) -> Bool {
        let saysSo = request.headers.contains(.secFetchMode) || request.headers.contains(.secFetchDest)
        return saysSo && !FetchMetadata.isDocumentNavigation(request.headers)
    }

    /// The sign-in page, which leads back here; at an origin that has none, a page with the way to it.
    /// - Parameter session: one that may hand nothing on.
    /// - Throws: ``AuthCheckController/signedOut`` for a script.
    private func signInFirst(
        _ request: Request, besides session: WebSession? = nil, to visitor: PageVisitor
    ) async throws -> Response {
        guard takesPage(request) else { throw AuthCheckController.signedOut }
        let query = "\(SignInWay.wanted)=\(PercentEncoding.encode(Self.wayBack(to: request)))"
        var response: Response
        if origins.place(of: request).purposes.contains(.provider) {
            response = try await flow.missingPage(
                SignInErrand(try FormParameters(parsing: query.utf8)),
                browser: FormCookie.binding(of: request, random: random), session: session,
                at: origins.own(of: request), to: visitor)
            response.status = .init(code: ErrorCode.invalidToken.status)
        } else {
            response = pages.signInForHandOff(at: "\(issuer)\(SignInController.path)?\(query)", to: visitor)
        }
        response.headers[.wwwAuthenticate] = AuthCheckController.signedOut.headers[.wwwAuthenticate]
        return response
    }

    /// The page that asks for what a sign-in lacks for the website, and leads back here.
    /// - Returns: `nil` where no page could help, and for a script.
    private func signInBetter(
        _ request: Request, _ refusal: OAuthError, _ session: WebSession, to visitor: PageVisitor
    ) async throws -> Response? {
        let here = Self.wayBack(to: request)
        let errand = SignInErrand(redirect: here)
        guard origins.place(of: request).purposes.contains(.provider), HandOffs.checked(here) != nil,
            takesPage(request),
            // Whoever comes back from the page comes a moment after the sign-in, so this would never end.
            flow.maximumAge(for: errand) != Duration.zero
        else { return nil }
        var response = try await flow.missingPage(
            errand, browser: FormCookie.binding(of: request, random: random), session: session,
            at: origins.own(of: request), to: visitor)
        response.status = .init(code: refusal.code.status)
        response.headers[.wwwAuthenticate] =
            refusal.challenge ?? AuthCheckController.signedOut.headers[.wwwAuthenticate]
        return response
    }

    /// A browser's navigation need not say what it accepts (contract §11).
    private func takesPage(_ request: Request) -> Bool {
        request.acceptsPage || !request.headers.contains(.accept)
    }

    private static func wayBack(to request: Request) -> String { "\(HandOffs.path)?\(request.uri.query ?? "")" }

    private static func handOff(inQueryOf request: Request) throws -> HandOffs.Request {
        guard let parameters = try? request.query() else {
            throw StrictBody.malformedForm
        }
        for name in ["client_id", "redirect", "state"] where parameters.isRepeated(name) {
            throw OAuthError(.invalidRequest, "\(name) is repeated")
        }
        guard let state = parameters["state"].flatMap({ HandOffState($0) }) else {
            let lengths = HandOffState.lengths
            throw OAuthError(
                .invalidRequest,
                "state must be \(lengths.lowerBound) to \(lengths.upperBound) unreserved characters")
        }
        return HandOffs.Request(
            website: parameters["client_id"], redirect: parameters.bytes("redirect"), state: state)
    }

    private static func handOff(inBodyOf request: Request) async throws -> HandOffs.Request {
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.mediaType(of: request) == "application/json" else {
            throw OAuthError(.unsupportedMediaType)
        }
        var fields: [String: String] = [:]
        for (name, value) in try StrictBody.members(ofJSON: body, knowing: ["client_id", "redirect"]) {
            guard let text = value.string else { throw OAuthError(.invalidRequest, "\(name) has the wrong type") }
            if !text.isEmpty { fields[name] = text }
        }
        return HandOffs.Request(
            website: fields["client_id"], redirect: fields["redirect"].map { Array($0.utf8) }, state: nil)
    }
}

extension Pages {
    /// The website does not keep what it is told, so nothing would come of sending the browser there again.
    func stuckHandOff(to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("hand_off", "stuck_title", in: language),
                "explanation": texts.text("hand_off", "stuck", in: language),
            ], to: visitor, language: language)
    }

    /// Nobody is signed in here either; the way goes on after the sign-in.
    func signInForHandOff(at url: String, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("hand_off", "sign_in_title", in: language),
                "explanation": texts.text("hand_off", "sign_in", in: language), "sign_in_url": url, "is_way_on": true,
            ], to: visitor, language: language, status: .init(code: ErrorCode.invalidToken.status))
    }
}
