import Bridge
import Hummingbird
import OAuth2

/// Routes that sign somebody in. Those that begin a sign-in, or take a proof of who it is, are declared with a guard of
/// this file; a test names the others.
protocol SignInGroup: BrowserGroup {
    var flow: SignInFlow { get }
}

extension SignInGroup {
    static var isOfSignIn: Bool { true }

    var kit: BrowserPages { flow.kit }
}

/// What a guard of the sign-in finds: what it is for, and in which browser.
protocol AdmittedSignIn: Sendable {
    var errand: SignInErrand { get }
    /// The browser's form binding; a new one where it has none.
    var browser: OpaqueSecret { get }
}

/// A visit of a page that signs in, by no web view that the app's registration forbids.
struct SignInVisit: AdmittedSignIn {
    let query: FormParameters
    let errand: SignInErrand
    let browser: OpaqueSecret

    fileprivate init(_ query: FormParameters, browser: OpaqueSecret) {
        self.query = query
        errand = SignInErrand(query)
        self.browser = browser
    }
}

/// A form of the sign-in, whether it is ours or not, by no web view that the app's registration forbids.
struct SignInForm: AdmittedSignIn {
    let form: BrowserForm
    let errand: SignInErrand

    var browser: OpaqueSecret { form.browser }

    fileprivate init(_ form: BrowserForm) {
        self.form = form
        errand = SignInErrand(form.parameters)
    }
}

/// A well-formed visit of the page that starts a sign-in with a key on a phone, or the linking of one.
struct SelfIssuedStart: AdmittedSignIn {
    let linkForm: SelfIssuedLinkForm
    /// Whether a key is to be linked to the account of whoever is signed in.
    let isForLinking: Bool
    let errand: SignInErrand
    let browser: OpaqueSecret

    fileprivate init(
        _ linkForm: SelfIssuedLinkForm, isForLinking: Bool, errand: SignInErrand, browser: OpaqueSecret
    ) {
        self.linkForm = linkForm
        self.isForLinking = isForLinking
        self.errand = errand
        self.browser = browser
    }
}

/// What the reading of a request comes to, before it is seen who shows the page.
private enum SignInReading<Admitted: Sendable>: Sendable {
    case found(Admitted)
    case answered(Response)
}

extension RouteGuard where Group: SignInGroup, Admitted: AdmittedSignIn {
    /// Everybody but the web view of an app whose registration says `block_webviews`: the app could read what is typed
    /// (RFC 8252 §8.12).
    fileprivate static func refusingWebViews(
        _ access: RouteAccess,
        reading read: @escaping @Sendable (Group, Request) async throws -> SignInReading<Admitted>
    ) -> Self {
        Self(access, refusesWebViews: true) { group, handler in
            let flow = group.flow
            return { request, context in
                switch try await read(group, request) {
                case .answered(let response): return response
                case .found(let admitted):
                    guard !flow.isBlocked(admitted, request) else { return flow.blockedPage(request, context) }
                    return try await handler(request, context, admitted)
                }
            }
        }
    }
}

extension RouteGuard where Group: SignInGroup, Admitted == SignInVisit {
    /// A visit whose address says what the sign-in is for.
    static var signInVisit: Self {
        refusingWebViews(.anyone) { group, request in
            let query = try request.query()
            return .found(SignInVisit(query, browser: FormCookie.binding(of: request, random: group.random)))
        }
    }

    /// A visit by a link that somebody follows: one broken escape does not fail the sign-in (contract §4.3).
    static var signInLink: Self {
        refusingWebViews(.anyone) { group, request in
            let query = try request.queryOfLink()
            return .found(SignInVisit(query, browser: FormCookie.binding(of: request, random: group.random)))
        }
    }
}

extension RouteGuard where Group: SignInGroup, Admitted == SignInForm {
    /// A form that came back, with what the sign-in is for.
    /// - Parameter field: the name of its token.
    static func signInForm(_ purpose: FormTokens.Purpose, field: String = BrowserForm.tokenField) -> Self {
        refusingWebViews(.form) { group, request in
            .found(
                SignInForm(
                    try await BrowserForm.read(
                        request, as: purpose, isOfSession: false, field: field, formTokens: group.formTokens,
                        random: group.random)))
        }
    }
}

extension RouteGuard where Group == SelfIssuedController, Admitted == SelfIssuedStart {
    /// A visit at the one origin that the cookie, the return page and the request file belong to; another leads there.
    static var start: Self {
        refusingWebViews(.anyone) { group, request in
            let query = try request.queryOfLink()
            try query.checkUnique(besides: "return")
            guard group.origins.own(of: request) == group.configuration.origin else {
                return .answered(
                    group.redirect(
                        to: group.configuration.origin.description + SelfIssuedConfiguration.startPath
                            + (request.uri.query.map { "?\($0)" } ?? "")))
            }
            guard let form = SelfIssuedLinkForm(rawValue: query["form"] ?? SelfIssuedLinkForm.auto.rawValue),
                [nil, "0", "1"].contains(query["link"])
            else { throw OAuthError(.invalidRequest, "form or link has an unknown value") }
            return .found(
                SelfIssuedStart(
                    form, isForLinking: query["link"] == "1", errand: SelfIssuedController.errand(query),
                    browser: FormCookie.binding(of: request, random: group.random)))
        }
    }
}

extension SignInFlow {
    /// Whether the app that asks for the sign-in shows the page inside itself and must not.
    fileprivate func isBlocked(_ admitted: some AdmittedSignIn, _ request: Request) -> Bool {
        guard EmbeddedBrowser.isLikely(request.headers), let journey = admitted.errand.journey else { return false }
        return services.authorizations.request(of: journey, browser: admitted.browser)?.client.blocksWebViews == true
    }

    fileprivate func blockedPage(_ request: Request, _ context: BridgeRequestContext) -> Response {
        pages.authorizationProblem(.accessDenied, .embeddedBrowser, to: pageVisitor(request, context))
    }
}
