import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/self-issued/…`: signing in with a key that the user's phone holds (contract §10).
struct SelfIssuedController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, SelfIssuedConfiguration.startPath, "beginSelfIssued", as: .page, .start, start).withoutHead,
        Route(.get, SelfIssuedConfiguration.openPath, "openSelfIssued", as: .page, anyone: open).opensInApps,
        Route(.post, "/self-issued/response", "finishSelfIssued", as: .json, anyone: finish),
        Route(.post, SelfIssuedConfiguration.postPath, "receiveSelfIssued", as: .json, anyone: receive),
        Route(.get, choicePath, "selfIssuedChoice", as: .page, anyone: showChoice),
        Route(.post, choicePath, "chooseSelfIssued", as: .page, .form(.selfIssued, isOfSession: false), choose),
        Route(.get, "/self-issued/status", "selfIssuedStatus", as: .json, anyone: status),
        Route(
            .post, continuePath, "continueSelfIssued", as: .page, .form(.selfIssued, isOfSession: false), proceed),
    ]

    static let place: Origins.Purposes? = [.provider]
    static let unavailable = Unavailable.signIn
    static let choicePath = "/self-issued/choice"
    static let continuePath = "/self-issued/continue"
    /// Bytes of an answer: three tokens.
    private static let answerLimit = BodyReader.longest
    /// Bytes of a `return` with its name: more than a page of ours has.
    private static let returnLimit = 8192

    let phone: SelfIssuedSignIn
    let flow: SignInFlow
    let metrics: SelfIssuedMetrics

    var configuration: SelfIssuedConfiguration { phone.configuration }
    var linkedKeys: LinkedKeys { phone.linkedKeys }

    @Sendable func start(
        _ request: Request, context: BridgeRequestContext, visit: SelfIssuedStart
    ) async throws -> Response {
        let errand = visit.errand
        // Of what anybody may have written nothing is kept.
        guard flow.canGoOn(errand, browser: visit.browser) else {
            return pages.staleAuthorization(to: pageVisitor(request, context))
        }
        // Pictures on a foreign page must not use up what a network may start.
        guard FetchMetadata.isVisit(request.headers) else { return redirect(to: errand.url) }
        var linking: Subject?
        if visit.isForLinking {
            guard let session = try await browsers.opened(by: request),
                try await linkedKeys.admitChange(in: session, origin: context.origin(of: request))
            else {
                return redirect(to: SignInController.path(backTo: LinkedKeysController.path))
            }
            guard try await linkedKeys.mayHaveKeys(session.subject) else {
                try await linkedKeys.recordRefusal(.upstreamUser, in: session, origin: context.origin(of: request))
                return redirect(to: LinkedKeysController.path)
            }
            linking = session.subject
        }
        // Kept where there is one: what another tab began stays good until one of them is finished.
        let browser = request.selfIssuedBrowser ?? .make(.selfIssued, random: random)
        do {
            let beginning = try await phone.begin(
                errand: errand.query, linking: linking, browser: browser, origin: context.origin(of: request))
            metrics.count(.started)
            var response = try await startPage(
                beginning, visit.linkForm, errand, isLinking: linking != nil, request,
                pageVisitor(request, context))
            SelfIssuedCookies.set(browser, lifetime: configuration.lifetime, in: &response.headers)
            return response
        } catch let refusal as SelfIssuedRefusal {
            metrics.count(refusal)
            return refusedPage(refusal, pageVisitor(request, context))
        }
    }

    private func startPage(
        _ beginning: SelfIssuedSignIn.Beginning, _ form: SelfIssuedLinkForm, _ errand: SignInErrand, isLinking: Bool,
        _ request: Request, _ visitor: PageVisitor
    ) async throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        let (state, nonce) = (beginning.state, beginning.nonce)
        let takesCode = if isLinking { false } else { try await takesOtherDevices(for: errand, binding, request) }
        var response = pages.selfIssuedStart(
            SelfIssuedStartPage(
                openLink: configuration.openLink(state: state, nonce: nonce),
                schemeLink: schemeLink(form, state: state, nonce: nonce, isLinking: isLinking, request),
                code: takesCode
                    ? code(state: state, nonce: nonce, fields: try waitingFields(state, binding)) : nil,
                isLinking: isLinking, signInURL: isLinking ? LinkedKeysController.path : errand.url),
            to: visitor)
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// Whether the answer of another device may be enough for what the sign-in is for.
    private func takesOtherDevices(
        for errand: SignInErrand, _ binding: OpaqueSecret, _ request: Request
    ) async throws -> Bool {
        flow.takes(.phoneKey, for: errand, browser: binding, besides: try await browsers.opened(by: request))
    }

    /// What a phone next to this device scans; `nil` where no answers of other devices are taken.
    private func code(state: String, nonce: String, fields: [HiddenField]) -> SelfIssuedCode? {
        guard configuration.crossDevice != .off else { return nil }
        let scanned = configuration.openLink(state: state, nonce: nonce, acrossDevices: true)
        return QRCode(Array(scanned.utf8)).map { SelfIssuedCode(drawing: $0.drawing, fields: fields) }
    }

    func waitingFields(_ state: String, _ binding: OpaqueSecret) throws -> [HiddenField] {
        [
            HiddenField(name: "state", value: state),
            HiddenField(name: BrowserForm.tokenField, value: try formTokens.make(for: .selfIssued, binding: binding)),
        ]
    }

    /// The page that starts a sign-in, for whatever it is for.
    static func startURL(for errand: SignInErrand) -> String {
        let parts = [
            errand.journey.map { "journey=\(PercentEncoding.encode($0))" },
            errand.named.map { "return=\(PercentEncoding.encode(String(decoding: $0, as: UTF8.self)))" },
            errand.isRepeated ? "return=&return=" : nil,
        ].compactMap(\.self)
        return SelfIssuedConfiguration.startPath + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
    }

    /// The page that starts the linking of a key.
    static let linkingURL = "\(SelfIssuedConfiguration.startPath)?link=1"

    /// What the sign-in is for. A journey is as long as its request (docs/rules/authorization-request.md A9): one that
    /// we did not seal ourselves begins nothing. A `return` is judged after the phone's answer, whatever it is; of one
    /// that does not fit, so much is kept as shows that it is too long (docs/rules/return-path.md P1).
    static func errand(_ query: FormParameters) -> SignInErrand {
        if let journey = query["journey"] { return SignInErrand(journey: journey, named: nil) }
        let named = query.bytes("return").map { Array(String(decoding: $0, as: UTF8.self).utf8) }
        let errand = SignInErrand(journey: nil, named: named, isRepeated: query.isRepeated("return"))
        guard errand.query.utf8.count > returnLimit, let named else { return errand }
        // Ends in a byte that no path has: what is left must not be taken for a page of ours, which may be longer.
        let start = named.prefix(ReturnPath.maximumLength) + [UInt8(ascii: "\\")]
        return SignInErrand(journey: nil, named: Array(start), isRepeated: errand.isRepeated)
    }

    /// The claimed link in a browser, so the app is not there, or was passed by.
    @Sendable func open(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        try query.checkUnique()
        // Somebody else's request must not be dressed up as ours.
        guard query["request_uri"] == configuration.requestURI else {
            throw OAuthError(.invalidRequest, "request_uri was not issued here")
        }
        // What phones take. Whether a sign-in waits under them is seen where it is looked for.
        guard let state = query["state"], 1...SelfIssuedSignIn.longestState ~= state.utf8.count,
            let nonce = query["nonce"], 1...SelfIssuedSignIn.longestNonce ~= nonce.utf8.count
        else { throw OAuthError(.invalidRequest, "state or nonce is missing or too long") }
        let isPosted = query["response_mode"] == "direct_post"
        // Whoever scanned a code has it on the other screen.
        let mayScan = configuration.crossDevice != .off && !isPosted
        let isLinking = try await phone.isLinking(state)
        let binding = FormCookie.binding(of: request, random: random)
        let waiting = mayScan ? try await waitingErrand(state, request, context) : nil
        let takesCode = if let waiting { try await takesOtherDevices(for: waiting, binding, request) } else { true }
        var response = pages.selfIssuedOpen(
            schemeLink: schemeLink(
                .binding2012, state: state, nonce: nonce, isPosted: isPosted, isLinking: isLinking, request),
            isPosted: isPosted, isLinking: isLinking, stores: configuration.storeURLs,
            code: isPosted || isLinking || !takesCode
                ? nil
                : code(state: state, nonce: nonce, fields: waiting != nil ? try waitingFields(state, binding) : []),
            to: pageVisitor(request, context))
        if waiting != nil { FormCookie.set(binding, in: &response.headers) }
        return response
    }

    /// What this browser began a sign-in for that nobody has answered yet; `nil` where it began none.
    private func waitingErrand(
        _ state: String, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> SignInErrand? {
        let found = try await phone.look(
            state, browser: request.selfIssuedBrowser, origin: context.recognisedOrigin(of: request))
        guard case .waiting = found.standing else { return nil }
        return SignInErrand(try FormParameters(parsing: found.errand.utf8))
    }

    /// - Parameter isPosted: whether another device waits for the answer.
    private func schemeLink(
        _ form: SelfIssuedLinkForm, state: String, nonce: String, isPosted: Bool = false, isLinking: Bool,
        _ request: Request
    ) -> String? {
        guard configuration.offersScheme(isLinking: isLinking) else { return nil }
        guard BrowserWords.system(request.headers[.userAgent]) == "Android" else {
            return configuration.schemeLink(form, state: state, nonce: nonce, acrossDevices: isPosted)
        }
        return configuration.intentLink(form, state: state, nonce: nonce, acrossDevices: isPosted)
    }

    @Sendable func finish(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let answer = try await answer(of: request, context)
        do {
            let outcome = try await phone.finish(
                answer, browser: request.selfIssuedBrowser, current: try await browsers.replaceable(in: request),
                origin: context.origin(of: request))
            metrics.count(outcome)
            return try await response(to: outcome, request, context)
        } catch let refusal as SelfIssuedRefusal {
            metrics.count(refusal)
            return .refusal(refusal, issuer: issuer, context)
        }
    }

    private func response(
        to outcome: SelfIssuedOutcome, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        var headers: HTTPFields = [:]
        let location = try await location(after: outcome, in: &headers, request, context)
        let here = origins.own(of: request).description
        var body = JSONObjectWriter()
        body.add("location", location.hasPrefix(here + "/") ? String(location.dropFirst(here.count)) : location)
        var response = Response.json(body)
        for field in headers { response.headers.append(field) }
        return response
    }

    /// Where the browser goes, and the cookies that it gets.
    private func location(
        after outcome: SelfIssuedOutcome, in headers: inout HTTPFields, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> String {
        SelfIssuedCookies.clear(SelfIssuedCookies.browserName, in: &headers)
        switch outcome {
        case .signedIn(let opened, let errand):
            SelfIssuedCookies.clear(SelfIssuedCookies.proofName, in: &headers)
            SelfIssuedCookies.setUsed(in: &headers)
            try await flow.setCookies(of: opened, request, context, in: &headers)
            return try await flow.location(
                for: SignInErrand(try FormParameters(parsing: errand.utf8)), of: opened.session, request, context)
        case .linked:
            SelfIssuedCookies.clear(SelfIssuedCookies.proofName, in: &headers)
            return "\(origins.own(of: request))\(LinkedKeysController.path)?linked"
        case .unknown(let sealed, let errand):
            SelfIssuedCookies.setProof(sealed, in: &headers)
            return "\(origins.own(of: request))\(Self.choicePath)\(errand.isEmpty ? "" : "?\(errand)")"
        }
    }

    @Sendable func receive(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let answer = try await answer(of: request, context)
        do {
            try await phone.receive(answer, origin: context.origin(of: request))
            metrics.count(.answered)
            return .json(JSONObjectWriter())
        } catch let refusal as SelfIssuedRefusal {
            metrics.count(refusal)
            // Its owner has been heard: an error would tell the phone that they were not (contract §10).
            if refusal.isDeclined { return .json(JSONObjectWriter()) }
            return .refusal(refusal, issuer: issuer, context)
        }
    }

    /// The form of an answer, which a page of ours brings or the phone itself, and no page of another origin.
    private func answer(of request: Request, _ context: BridgeRequestContext) async throws -> FormParameters {
        let site = FetchMetadata.site(request.headers)
        guard site == nil || site == .sameOrigin,
            FetchMetadata.origin(request.headers, own: origins.own(of: request)) != .foreign
        else {
            try await linkedKeys.recordRefusal(.foreignPage, origin: context.origin(of: request))
            throw OAuthError(.forbidden, SelfIssuedRefusal.Reason.foreignPage.explanation)
        }
        let bytes = try await BodyReader.bytes(of: request, upTo: Self.answerLimit)
        guard BodyReader.isForm(request) else {
            throw OAuthError(.unsupportedMediaType)
        }
        let answer = try FormParameters(parsing: bytes)
        try answer.checkUnique()
        // What is not text would count as absent, and its check would be passed over.
        try answer.checkText()
        return answer
    }

    func signedIn(
        _ outcome: SelfIssuedOutcome, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        metrics.count(outcome)
        var cookies: HTTPFields = [:]
        var response = Response.seeOther(try await location(after: outcome, in: &cookies, request, context))
        response.headers.append(contentsOf: cookies)
        return response
    }

    func refusedPage(_ refusal: SelfIssuedRefusal, _ visitor: PageVisitor) -> Response {
        if let wait = refusal.retryAfter { return pages.limited(retryAfter: wait, of: .signIns, to: visitor) }
        return pages.selfIssuedRefused(refusal.reason, to: visitor)
    }

    /// - Parameter target: a path of ours, or an address.
    func redirect(to target: String) -> Response {
        .seeOther(target.hasPrefix("/") ? configuration.origin.description + target : target)
    }
}
