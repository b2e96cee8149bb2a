import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What a support desk does with accounts: make one, rename it, give it a role, and help somebody who cannot sign in.
/// Each takes a reason, and a sign-in of the last minutes.
struct ConsoleAccounts: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/new-user", "consoleNewUser", showEmpty),
        Route(form: "/admin/new-user", "consoleAddUser", create).says("add", in: "console_users"),
        Route(form: "/admin/users/{id}/names", "consoleRenameUser", rename)
            .says("rename", in: "console_user", about: ConsoleUsers.label),
        Route(form: "/admin/users/{id}/role", "consoleChangeRole", changeRole)
            .says("role", in: "console_users", about: ConsoleUsers.label),
        Route(form: "/admin/users/{id}/password", "consoleSetPassword", setPassword),
        Route(form: "/admin/users/{id}/set-up-link", "consoleMakeSetUpLink", makeLink)
            .says("make_link", in: "console_user", about: ConsoleUsers.label),
        Route(form: "/admin/users/{id}/second-factor", "consoleResetSecondFactor", resetSecondFactor)
            .says("reset_factor", in: "console_user", about: ConsoleUsers.label),
        Route(form: "/admin/users/{id}/phone-keys/{thumbprint}", "consoleUnlinkKey", unlinkKey)
            .says("unlink_label", in: "console_user", about: ConsoleUsers.label),
        Route(form: "/admin/users/{id}/passkeys/{passkey}", "consoleRemovePasskey", removePasskey)
            .says("passkey_label", in: "console_user", about: ConsoleUsers.label),
    ]

    let frame: ConsoleFrame
    let users: ConsoleUsers
    let passwords: PasswordChange

    /// What is typed in about a new user.
    private static let fields = ["username", "display_name", "email", "reason"]

    @Sendable func showEmpty(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        form([:], fault: nil, request, context, visit)
    }

    private func form(
        _ typed: [String: any Sendable], fault: ConsoleFault?, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit
    ) -> Response {
        var values = typed
        values.merge(fault?.values(frame.words(request, context)) ?? [:]) { $1 }
        for name in Self.fields { values["is_\(name)_wrong"] = fault?.names(name) ?? false }
        return frame.render(
            "new_user", values, section: .users, visit: visit, request, context,
            status: fault == nil ? .ok : .init(code: ErrorCode.invalidRequest.status))
    }

    @Sendable func create(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        var typed: [String: any Sendable] = [:]
        for name in Self.fields { typed[name] = fields[name] }
        typed["is_admin"] = fields["role"] == "admin"
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        do {
            let action = try reasoned(fields, request, context, visit)
            let names = try Self.names { fields[$0] }
            guard let username = names.username else { throw ConsoleProblem.usernameNeeded }
            let account = Account(
                subject: Account.makeSubject(random: frame.random), username: username,
                displayName: names.displayName, email: names.email,
                role: fields["role"] == "admin" ? .admin : nil, createdAt: action.at)
            guard let user = try await frame.services.users.add(account, password: nil, action: action) else {
                throw ConsoleProblem.usernameTaken
            }
            return try await link(for: user.subject, action: action, request, context, visit)
        } catch {
            guard let fault = ConsoleFault(error) else { throw error }
            return form(typed, fault: fault, request, context, visit)
        }
    }

    @Sendable func rename(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(.rename, fields, request, context, visit) { subject in
            guard let user = try await frame.services.users.user(subject) else { return .noAccount }
            let names = try Self.names(fields, of: user)
            guard user.username == nil || names.username != nil else {
                throw ConsoleProblem.usernameKept
            }
            var change = UserChange(names: names)
            change.seen = user
            return try await frame.services.users.change(
                subject, change, password: nil, action: try reasoned(fields, request, context, visit))
        }
    }

    @Sendable func changeRole(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(.role, fields, request, context, visit) { subject in
            let role = try Self.role(fields)
            return try await frame.services.users.change(
                subject, UserChange(role: role), password: nil, action: try reasoned(fields, request, context, visit))
        }
    }

    @Sendable func setPassword(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(.password, fields, request, context, visit) { subject in
            let action = try reasoned(fields, request, context, visit)
            guard let account = try await frame.services.storage.account(of: subject) else { return .noAccount }
            let password = Secret(fields["password"] ?? "")
            if let flaw = PasswordRules.flaw(of: password, for: account) {
                throw ConsoleProblem.password(flaw)
            }
            return try await frame.services.users.change(subject, UserChange(), password: password, action: action)
        }
    }

    @Sendable func makeLink(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = try Self.subject(context)
        do {
            try await frame.services.gate.requireFreshSignIn(visit, request, context)
            return try await link(
                for: subject, action: try reasoned(fields, request, context, visit), request, context, visit)
        } catch {
            guard let fault = ConsoleFault(error) else { throw error }
            let refused = RefusedForm(form: .link, fields: fields, fault: fault)
            return try await users.page(of: subject, refused: refused, request, context, visit)
        }
    }

    /// Not a redirect: this page is the only one that shows the link.
    private func link(
        for subject: Subject, action: AdminAction, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit
    ) async throws -> Response {
        guard let link = try await passwords.invite(subject, action: action) else {
            throw ConsoleProblem.noPasswordAccount
        }
        return try await users.page(
            of: subject, link: AccountController.setUpURL(link, at: frame.issuer), request, context, visit)
    }

    @Sendable func resetSecondFactor(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(.factor, fields, request, context, visit) { subject in
            let action = try reasoned(fields, request, context, visit)
            let wasReset = try await frame.services.users.resetSecondFactor(
                of: subject, event: SecondFactorChange.removed.event(by: action, of: subject))
            guard wasReset else { throw ConsoleProblem.noSecondFactor }
            return .changed(.nothing)
        }
    }

    @Sendable func unlinkKey(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let thumbprint = try AdminRequestReader.parameter("thumbprint", context)
        return try await change(.unlink(thumbprint), fields, request, context, visit) { subject in
            let action = try reasoned(fields, request, context, visit)
            switch try await frame.services.users.unlinkKey(thumbprint, of: subject, action: action) {
            case .unlinked(let ended): return .changed(ended)
            case .unknown: return .unchanged
            case .lastWayIn: throw ConsoleProblem.lastWayIn
            }
        }
    }

    /// Somebody else may have been first: then it is gone as well.
    @Sendable func removePasskey(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let mark = try AdminRequestReader.parameter("passkey", context)
        return try await change(.remove(passkey: mark), fields, request, context, visit) { subject in
            let wasRemoved = try await frame.services.users.removePasskey(
                mark, of: subject, action: try reasoned(fields, request, context, visit))
            return wasRemoved ? .changed(.nothing) : .unchanged
        }
    }

    /// After a fresh sign-in: does what a form asks for, and shows the user again; with what stood in the way, if
    /// anything did, and the form as it was filled in.
    private func change(
        _ form: UserForm, _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit,
        _ body: (Subject) async throws -> UserChangeOutcome
    ) async throws -> Response {
        let subject = try Self.subject(context)
        let fault: ConsoleFault
        do {
            try await frame.services.gate.requireFreshSignIn(visit, request, context)
            switch try await body(subject) {
            case .changed: return frame.redirect(to: ConsoleRows.userPath(subject), isDone: true)
            case .unchanged: return frame.redirect(to: ConsoleRows.userPath(subject))
            case .usernameTaken: fault = .problem(.usernameTaken)
            case .noAccount: fault = .problem(.noAccount)
            case .lastAdministrator: fault = .problem(.lastAdministrator)
            case .changedMeanwhile: fault = .problem(.userChanged)
            }
        } catch {
            guard let found = ConsoleFault(error) else { throw error }
            fault = found
        }
        let refused = RefusedForm(form: form, fields: fields, fault: fault)
        return try await users.page(of: subject, refused: refused, request, context, visit)
    }

    /// The action of a form whose reason is more than an empty line.
    private func reasoned(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) throws -> AdminAction {
        guard let reason = fields["reason"], !reason.inOneLine.allSatisfy(\.isWhitespace) else {
            throw ConsoleProblem.reasonNeeded
        }
        return try frame.action(fields, request, context, visit)
    }

    private static func subject(_ context: BridgeRequestContext) throws -> Subject {
        Subject(rawValue: try AdminRequestReader.parameter("id", context))
    }

    /// A field that is missing takes no role away.
    private static func role(_ fields: FormParameters) throws -> UserChange.RoleChange {
        if fields["role"] == "none" { return .take }
        guard let role = fields["role"].flatMap(Account.Role.init(rawValue:)) else {
            throw OAuthError(.invalidRequest, "role must be admin or none")
        }
        return .give(role)
    }

    /// A user's names as a form wants them: those that were left alone stay as they are, whoever has changed them since.
    private static func names(_ fields: FormParameters, of user: UserOverview) throws -> AccountNames {
        let form = ShownFields(fields)
        var names = user.names
        for field in ["username", "display_name", "email"] {
            switch form.wish(for: field, now: names[field] ?? "") {
            case .nothing: break
            case .change(let typed): names[field] = typed
            case .overtaken: throw ConsoleProblem.nameChanged(field)
            }
        }
        return try Self.names(now: user.username) { names[$0] }
    }

    /// - Parameter now: the user's name, which may stay whatever it is.
    private static func names(
        now: String? = nil, _ typed: (_ field: String) -> String?
    ) throws -> AccountNames {
        func text(_ name: String) throws -> String? {
            guard let text = typed(name), !text.isEmpty else { return nil }
            guard AccountNames.canBeName(text) else { throw ConsoleProblem.lineLong(name) }
            return text
        }
        let username = try text("username").map { text in
            guard let username = text == now ? Username(text) : Username(registering: text) else {
                throw ConsoleProblem.usernameBad
            }
            return username
        }
        let email = try text("email")
        guard email.map(AccountNames.canBeAddress) ?? true else { throw ConsoleProblem.emailBad }
        return AccountNames(username: username, displayName: try text("display_name"), email: email)
    }
}
