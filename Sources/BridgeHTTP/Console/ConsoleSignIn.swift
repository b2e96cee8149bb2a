import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The way into the console: an administrator's token, or the session of an account with the role `admin`.
struct ConsoleSignIn: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(.get, ConsolePath.signIn, "consoleSignIn", as: .page, anyone: show).shownAgain(.withQuery),
        Route(.post, ConsolePath.signIn, "openConsole", as: .page, anyone: submit),
        Route(form: signOutPath, "closeConsole", for: .ask, signOut),
    ]

    static let signOutPath = "/admin/sign-out"

    let frame: ConsoleFrame

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        let reason = query["why"].flatMap(AdminRefusal.Reason.init(rawValue:)).flatMap(Self.problem)
        let isLost = query.names.contains(ConsoleFrame.lostName)
        return try page(next: query["next"], problem: isLost ? Self.text("not_done") : reason, request, context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let fields = try FormParameters(parsing: try await BodyReader.bytes(of: request))
        guard request.isOurs(fields, for: .openConsole, isOfSession: false, by: frame.formTokens) else {
            let keepsCookies = !request.lacksCookie(of: fields, by: frame.formTokens)
            return try page(
                next: fields["next"], problem: keepsCookies ? Self.text("stale") : Pages.noCookies, isError: true,
                request, context)
        }
        let origin = context.origin(of: request)
        let gate = frame.services.gate
        let administrator: Administrator
        do {
            let token = Secret(fields["token"].map { String($0.filter { !$0.isWhitespace }) } ?? "")
            administrator = try await gate.authenticator.administrator(
                presenting: token, provenKey: nil, at: frame.time.now())
        } catch let refusal as AdminRefusal {
            try await gate.refusals.adminRefused(refusal, origin: origin, at: frame.time.now())
            return try page(
                next: fields["next"], problem: Self.problem(refusal.reason), isError: true, isTokenWrong: true, request,
                context)
        }
        let secret = try await gate.adminSessions.open(administrator, origin: origin)
        var response = frame.redirect(to: ConsolePath.checked(fields["next"]) ?? ConsolePath.home)
        AdminCookie.set(secret, in: &response.headers)
        return response
    }

    /// Ends the console's own session, that a token opened; else signs out whoever signed in with an account.
    @Sendable func signOut(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        guard let secret = request.adminSecret else {
            // The form's token has proven the click, as that of another question would.
            var response = frame.redirect(to: SessionController.signedOutPath)
            _ = try await frame.kit.browserSignOut.signOut(
                request, origin: context.origin(of: request), in: &response.headers)
            return response
        }
        try await frame.services.gate.adminSessions.end(secret, origin: context.origin(of: request))
        var response = frame.redirect(to: ConsolePath.signIn)
        AdminCookie.clear(in: &response.headers)
        return response
    }

    /// - Parameters:
    ///   - problem: its text in the catalogue.
    ///   - isError: whether it is about the form that was sent, and not why somebody was led here.
    ///   - isTokenWrong: whether it is about the token in that form.
    private func page(
        next: String?, problem: (section: String, key: String)?, isError: Bool = false, isTokenWrong: Bool = false,
        _ request: Request, _ context: BridgeRequestContext
    ) throws -> Response {
        let binding = FormCookie.binding(of: request, random: frame.random)
        let target = ConsolePath.checked(next) ?? ConsolePath.home
        let visitor = PageVisitor(request, context)
        let words = frame.words(for: visitor)
        // Whoever is signed in and may not administer has nothing to gain by the same account once more.
        let isForAnother = problem?.key == AdminRefusal.Reason.notAdministrator.rawValue
        let errand = SignInErrand(redirect: target)
        var values: [String: any Sendable] = [
            "form_token": try frame.formTokens.make(for: .openConsole, binding: binding), "next": target,
            "account_path": (isForAnother ? errand.forAnother : errand).url,
            "account_label": words("console_sign_in", isForAnother ? "other_account" : "account"),
            "explanation": words("console_sign_in", "explanation", ["scope": "admin"]),
            "is_error": isError, "is_token_wrong": isTokenWrong && problem != nil,
        ]
        values["problem"] = problem.map { words($0.section, $0.key) }
        var response = frame.pages.render("admin_sign_in", values, to: visitor, language: words.language)
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    private static func problem(_ reason: AdminRefusal.Reason) -> (section: String, key: String)? {
        reason == .missing ? nil : text(reason.rawValue)
    }

    private static func text(_ key: String) -> (section: String, key: String) { ("console_sign_in", key) }
}
