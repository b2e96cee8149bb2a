import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/api/admin/users` and the sessions of users (contract §8).
struct AdminUserController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/admin/users", "users", as: .json, .administrator, list),
        Route(.post, "/api/admin/users", "addUser", as: .json, .administrator, create),
        Route(.get, "/api/admin/users/{id}", "user", as: .json, .administrator, show),
        Route(.patch, "/api/admin/users/{id}", "changeUser", as: .json, .administrator, change),
        Route(.get, "/api/admin/users/{id}/sessions", "sessionsOfUser", as: .json, .administrator, sessions),
        Route(.delete, "/api/admin/users/{id}/sessions", "endSessionsOfUser", as: .json, .administrator, endSessions),
        Route(
            .delete, "/api/admin/users/{id}/phone-keys/{thumbprint}", "unlinkKeyOfUser", as: .json, .administrator,
            unlinkKey),
        Route(.get, "/api/admin/users/{id}/consents", "consentsOfUser", as: .json, .administrator, consents),
        Route(
            .delete, "/api/admin/users/{id}/consents/{client_id}", "withdrawConsentOfUser", as: .json, .administrator,
            withdrawConsent),
        Route(.delete, "/api/admin/sessions/{id}", "endSession", as: .json, .administrator, endSession),
    ]

    let gate: AdminGate
    let users: UserRegister
    let storage: any AuditLog
    let random: RandomSource

    @Sendable func list(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "limit", "q"])
        let limit = try AdminRequestReader.limit(query)
        let cursor = try IDCursor.id(in: query, of: .users).map(Subject.init(rawValue:))
        let page =
            if let text = query["q"] {
                try await users.page(matching: text, after: cursor, limit: limit)
            } else {
                try await users.page(after: cursor, limit: limit)
            }
        return .list(
            page.users.map(AdminObjects.user), next: page.next.map { IDCursor(list: .users, id: $0.rawValue).text })
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let document = Document(try await user(context))
        if request.knows(document.tag) { return Response(status: .notModified, headers: [.eTag: document.tag]) }
        return document.response()
    }

    @Sendable func change(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let object = try await AdminRequestReader.object(request)
        try AdminRequestReader.check(object, knows: ["disabled", "password", "claims", "role", "reason"])
        // All of it is read before any of it is done.
        let password = try Self.password(object)
        var change = UserChange(
            claims: try Self.claims(object), role: try Self.roleChange(object),
            isDisabled: try Self.isDisabled(object))
        let action = AdminRequestReader.action(
            visit, reason: try AdminRequestReader.reason(object), request, context, at: gate.time.now())
        // Setting somebody's password, and enabling, open that account, a role opens the console, and websites go by
        // groups and addresses.
        if password != nil || change.role != nil || change.claims != nil || change.isDisabled == false {
            try await gate.requireFreshSignIn(visit, request, context)
        }
        let seen = try await user(context)
        // Each member is a change by itself, so nobody has to name a state; whoever does means that one (RFC 9110 §13.1.1).
        if let condition = request.headers.value(of: .ifMatch) {
            guard let tags = EntityTags(condition), tags.containsStrongly(Document(seen).tag) else {
                throw OAuthError(.preconditionFailed)
            }
            // It has to hold for what is written over, not only for what was read here.
            if !tags.isAny { change.seen = seen }
        }
        switch try await users.change(seen.subject, change, password: password, action: action) {
        case .changed, .unchanged: return Document(try await user(context)).response()
        case .noAccount:
            throw OAuthError(.conflict, "this user has no account here, so no password, no claims and no role")
        case .lastAdministrator: throw Self.lastAdministrator
        case .usernameTaken: throw Self.usernameTaken
        case .changedMeanwhile: throw OAuthError(.preconditionFailed)
        }
    }

    static let lastAdministrator = OAuthError(
        .conflict,
        "this is the last administrator who can sign in; give somebody else who can sign in the role first")

    static let usernameTaken = OAuthError(.conflict, "there is an account with this username")

    @Sendable func create(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let object = try await AdminRequestReader.object(request)
        try AdminRequestReader.check(
            object, knows: ["username", "password", "display_name", "email", "role", "claims", "reason"])
        guard let username = object["username"]?.string.flatMap({ Username(registering: $0) }) else {
            throw OAuthError(.invalidRequest, "username must be 1 to \(Username.limit) bytes of text")
        }
        guard let password = try Self.password(object) else {
            throw OAuthError(.invalidRequest, "password is missing")
        }
        try await gate.requireFreshSignIn(visit, request, context)
        let now = gate.time.now()
        let account = Account(
            subject: Account.makeSubject(random: random), username: username,
            displayName: try Self.text("display_name", object), email: try Self.address(object),
            role: try Self.role(object), createdAt: now, claims: try Self.claims(object) ?? .none)
        let action = AdminRequestReader.action(
            visit, reason: try AdminRequestReader.reason(object), request, context, at: now)
        guard let user = try await users.add(account, password: password, action: action) else {
            throw Self.usernameTaken
        }
        var response = Document(user).response(status: .created)
        response.headers[.location] = "/api/admin/users/\(PercentEncoding.encode(user.subject.rawValue))"
        return response
    }

    @Sendable func sessions(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "limit"])
        let limit = try AdminRequestReader.limit(query)
        let cursor = try AdminRequestReader.cursor(query).map(SessionID.init(rawValue:))
        let subject = try await user(context).subject
        let found = try await users.sessions(of: subject, before: cursor, limit: limit + 1)
        let page = Array(found.prefix(limit))
        let now = gate.time.now()
        let traces = try await storage.traces(of: page)
        return .list(
            page.map { AdminObjects.session($0, traces[$0.id], at: now) },
            next: found.count > limit ? page.last?.id.rawValue : nil)
    }

    @Sendable func endSessions(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let action = try await action(request, context, visit)
        _ = try await users.endSessions(of: try await user(context).subject, action: action)
        return .done
    }

    @Sendable func unlinkKey(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let action = try await action(request, context, visit)
        try await gate.requireFreshSignIn(visit, request, context)
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let thumbprint = try AdminRequestReader.parameter("thumbprint", context)
        switch try await users.unlinkKey(thumbprint, of: subject, action: action) {
        case .unlinked: return .done
        case .unknown: throw OAuthError(.notFound)
        case .lastWayIn: throw Self.lastWayIn
        }
    }

    static let lastWayIn = OAuthError(
        .conflict, "the user could not sign in without this key; give the account a password first")

    @Sendable func consents(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        _ = try AdminRequestReader.query(request, knowing: [])
        let found = try await users.consents(of: try await user(context).subject)
        return .list(found.map(AdminObjects.consent), next: nil)
    }

    @Sendable func withdrawConsent(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let action = try await action(request, context, visit)
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let client = ClientID(rawValue: try AdminRequestReader.parameter("client_id", context))
        guard try await users.withdrawConsent(of: subject, to: client, action: action) else {
            throw OAuthError(.notFound)
        }
        return .done
    }

    @Sendable func endSession(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let action = try await action(request, context, visit)
        let id = SessionID(rawValue: try AdminRequestReader.parameter("id", context))
        guard try await users.endSession(id, action: action) else { throw OAuthError(.notFound) }
        return .done
    }

    private func action(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> AdminAction {
        let reason = try await AdminRequestReader.reasonAlone(request)
        return AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now())
    }

    /// A user as the API shows it, and which state of it that is.
    private struct Document {
        let bytes: [UInt8]
        let tag: String

        init(_ user: UserOverview) {
            bytes = AdminObjects.user(user).finish()
            tag = EntityTags.strong(of: bytes)
        }

        func response(status: HTTPResponse.Status = .ok) -> Response {
            var response = Response.json(bytes: bytes, status: status)
            response.headers[.eTag] = tag
            return response
        }
    }

    /// Somebody of whom anything is known here; of a trusted issuer's users too, from their first token on.
    private func user(_ context: BridgeRequestContext) async throws -> UserOverview {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        guard let user = try await users.user(subject) else { throw OAuthError(.notFound) }
        return user
    }

    private static func password(_ object: [String: JSONValue]) throws -> Secret<String>? {
        guard let value = object["password"], !value.isNull else { return nil }
        guard let password = value.string.map({ Secret($0) }) else {
            throw OAuthError(.invalidRequest, "password must be text")
        }
        if let problem = PasswordRules.problem(with: password) {
            throw OAuthError(.invalidRequest, "password \(problem)")
        }
        return password
    }

    private static func text(_ name: String, _ object: [String: JSONValue]) throws -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string, AccountNames.canBeName(text) else {
            throw OAuthError(.invalidRequest, "\(name) must be one line of 1 to \(AccountNames.limit) bytes")
        }
        return text
    }

    private static func address(_ object: [String: JSONValue]) throws -> String? {
        let address = try text("email", object)
        guard address.map(AccountNames.canBeAddress) ?? true else {
            throw OAuthError(.invalidRequest, "email must be an address such as alice@example.com")
        }
        return address
    }

    private static func claims(_ object: [String: JSONValue]) throws -> StandardClaims? {
        guard let value = object["claims"], !value.isNull else { return nil }
        guard let members = value.object else { throw OAuthError(.invalidRequest, "claims must be an object") }
        do {
            return try StandardClaims(members)
        } catch {
            throw OAuthError(.invalidRequest, error.description)
        }
    }

    private static func isDisabled(_ object: [String: JSONValue]) throws -> Bool? {
        guard let value = object["disabled"] else { return nil }
        guard let isDisabled = value.bool else { throw OAuthError(.invalidRequest, "disabled must be true or false") }
        return isDisabled
    }

    /// `null` takes the role away.
    private static func roleChange(_ object: [String: JSONValue]) throws -> UserChange.RoleChange? {
        guard let value = object["role"] else { return nil }
        return value.isNull ? .take : try role(object).map { .give($0) }
    }

    private static func role(_ object: [String: JSONValue]) throws -> Account.Role? {
        guard let value = object["role"], !value.isNull else { return nil }
        guard let role = value.string.flatMap(Account.Role.init(rawValue:)) else {
            throw OAuthError(.invalidRequest, "role must be admin")
        }
        return role
    }
}
