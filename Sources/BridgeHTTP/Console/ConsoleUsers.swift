import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Users, and one user with sessions and events in one view.
struct ConsoleUsers: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/users", "consoleUsers", list),
        Route(page: "/admin/users/{id}", "consoleUser", show),
        Route(form: "/admin/users/{id}/end-sessions", "consoleEndSessions", endSessions)
            .says("end_all", in: "console_user", about: label),
        Route(form: "/admin/users/{id}/standing", "consoleStanding", setDisabled)
            .says("disable", in: "console_user", about: label),
        Route(form: "/admin/users/{id}/consents/{client_id}", "consoleWithdrawConsent", withdrawConsent)
            .says("withdraw_label", in: "console_user", about: label),
        Route(form: "/admin/sessions/{id}/end", "consoleEndSession", endSession).says("end_label", in: "console_user"),
    ]

    let frame: ConsoleFrame

    /// What a form calls the user whom its address names.
    static let label: FormButton.Text = ("console_users", "user")

    private static let pageSize = 50
    /// How many of a user's newest sessions of each kind the user's page shows.
    private static let sessionLimit = 200

    @Sendable func list(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "sub", "q", "sort"])
        let asked = try UserOrder.asked(in: query)
        // Without a wish they come by name, where they are few enough to be sorted: what goes on by an id did not.
        let order = asked ?? (query["cursor"] == nil ? UserOrder.name : nil)
        if let subject = query["sub"] { return frame.redirect(to: ConsoleRows.userPath(Subject(rawValue: subject))) }
        let page = try await page(query, order)
        let words = frame.words(request, context)
        let isLater = query["cursor"] != nil && page.order == order
        var values: [String: any Sendable] = [
            "users": page.users.map(ConsoleRows.user), "is_empty": page.users.isEmpty,
            "is_unsorted": asked != nil && page.order != asked,
            "count": words.count(page.users.count, isMore: page.next != nil, isLater: isLater),
        ]
        values["q"] = query["q"]
        values["sort"] = page.order?.rawValue
        let search = query["q"].map { "q=\(PercentEncoding.encode($0))&" } ?? ""
        values["columns"] = UserOrder.columns(by: page.order, keeping: search, words)
        let sort = page.order.map { "sort=\($0.rawValue)&" } ?? ""
        let kept = (search + sort).dropLast()
        if isLater { values["first_path"] = "/admin/users\(kept.isEmpty ? "" : "?\(kept)")" }
        if let next = page.next {
            values["next_path"] = "/admin/users?\(search)\(sort)cursor=\(PercentEncoding.encode(next))"
        }
        return frame.render("users", values, section: .users, visit: visit, request, context)
    }

    private struct Page {
        let users: [UserOverview]
        /// The cursor of the next page, if there is one.
        let next: String?
        /// `nil` for the order of ids.
        let order: UserOrder?
    }

    /// A page in this order; where there are too many users for it, the first one in the order of ids.
    private func page(_ query: FormParameters, _ order: UserOrder?) async throws -> Page {
        let users = frame.services.users
        if let order, let page = try await sortedPage(query, order) { return page }
        let cursor = order == nil ? try IDCursor.id(in: query, of: .users).map(Subject.init(rawValue:)) : nil
        let page =
            if let text = query["q"] {
                try await users.page(matching: text, after: cursor, limit: Self.pageSize)
            } else {
                try await users.page(after: cursor, limit: Self.pageSize)
            }
        return Page(
            users: page.users, next: page.next.map { IDCursor(list: .users, id: $0.rawValue).text }, order: nil)
    }

    private func sortedPage(_ query: FormParameters, _ order: UserOrder) async throws -> Page? {
        let cursor = try AdminRequestReader.cursor(query).map { text in
            guard let cursor = UserCursor(text: text, by: order) else {
                throw OAuthError(.invalidRequest, "cursor is not one of this service")
            }
            return cursor
        }
        let found = try await frame.services.users.users(
            matching: query["q"] ?? "", by: order, after: cursor, limit: Self.pageSize + 1)
        guard let found else { return nil }
        let users = Array(found.prefix(Self.pageSize))
        let last = found.count > users.count ? users.last : nil
        return Page(users: users, next: last.map { UserCursor(after: $0, by: order).text }, order: order)
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let query = try AdminRequestReader.query(request, knowing: [ConsoleFrame.doneName, "ended", "session"])
        // The name of the second alone says it too.
        return try await page(
            of: subject, isDone: ConsoleFrame.saysDone(query), showsEnded: query.names.contains("ended"),
            showing: query["session"].map(SessionID.init(rawValue:)), request, context, visit)
    }

    /// - Parameters:
    ///   - refused: a form of the page that was not done.
    ///   - link: a set-up link, shown this once.
    ///   - isDone: whether a change was made just now.
    ///   - session: shown even where the user has many that are newer.
    func page(
        of subject: Subject, refused: RefusedForm? = nil, link: String? = nil, isDone: Bool = false,
        showsEnded: Bool = false, showing session: SessionID? = nil, _ request: Request,
        _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let services = frame.services
        guard let user = try await services.users.user(subject) else { throw OAuthError(.notFound) }
        let now = frame.time.now()
        var filter = AuditFilter()
        filter.subject = subject
        let events = try await services.storage.search(filter, before: nil, limit: 20).entries
        var values = ConsoleRows.user(user)
        let words = frame.words(request, context)
        values.merge(refused?.fault.values(words) ?? [:]) { $1 }
        values.merge(UserForm.values(of: user, after: refused)) { $1 }
        values["is_done"] = isDone
        values["set_up_link"] = link
        values["link_hint"] = words("console_user", "link_hint", ["name": user.shownName])
        values["has_account"] = try await services.storage.account(of: subject)?.username != nil
        values["second_factor"] = user.hasSecondFactor
        let devices = try await devices(of: subject, at: now)
        if frame.device != nil { values.merge(ConsoleDevices.values(of: devices, at: now, words)) { $1 } }
        let keys = try await services.storage.linkedKeys(of: subject)
        values["linked_keys"] = keys.map { ConsoleRows.linkedKey($0, words, after: refused) }
        values["has_linked_keys"] = !keys.isEmpty
        let passkeys = try await services.storage.passkeys(of: subject)
        values["passkeys"] = passkeys.map { ConsoleRows.passkey($0, words, after: refused) }
        values["has_passkeys"] = !passkeys.isEmpty
        let consents = try await services.users.consents(of: subject)
        values["consents"] = consents.map { ConsoleRows.consent($0, of: subject, words) }
        values["has_consents"] = !consents.isEmpty
        let sessions = try await sessions(
            of: subject, under: devices, showsEnded: showsEnded, showing: session, at: now, words)
        values.merge(sessions) { $1 }
        values["events"] = events.map { ConsoleRows.event($0, words) }
        values["is_empty"] = events.isEmpty
        values["events_path"] = "\(ConsoleSection.events.path)?sub=\(PercentEncoding.encode(subject.rawValue))"
        return frame.render(
            "user", values, section: .users, visit: visit, request, context,
            status: refused.map { .init(code: $0.fault.code.status) } ?? .ok)
    }

    /// The user's sessions as they hang under each other.
    private func sessions(
        of subject: Subject, under devices: [DeviceSecret], showsEnded: Bool, showing named: SessionID?,
        at now: Timestamp, _ words: ConsoleWords
    ) async throws -> [String: any Sendable] {
        let services = frame.services
        var sessions = try await services.users.newestSessions(of: subject, limit: Self.sessionLimit)
        let live = sessions.filter { $0.isAlive(at: now) }
        let ended = sessions.count - live.count
        let isMore = [SessionOverview.Kind.app, .web].contains { kind in
            live.count { $0.kind == kind } >= Self.sessionLimit
        }
        if let named, !sessions.contains(where: { $0.id == named }),
            let older = try await session(named, of: subject)
        {
            sessions.append(older)
        }
        let tree = SessionTree(
            sessions, devices: devices, traces: try await services.storage.traces(of: sessions), words: words)
        let shown = tree.rows(at: now, showsEnded: showsEnded)
        return [
            "sessions": shown, "has_sessions": !shown.isEmpty, "has_live_sessions": !live.isEmpty,
            "has_more_sessions": isMore,
            "session_count": words(
                "console_user", isMore ? "live_at_least" : "live_count", ["count": String(live.count)]),
            "has_ended": ended > 0,
            "ended_path": ConsoleRows.userPath(subject) + (showsEnded ? "" : "?ended"),
            "ended_words": words(
                "console_user", showsEnded ? "hide_ended" : "show_ended", ["count": String(ended)]),
        ]
    }

    private func session(_ id: SessionID, of subject: Subject) async throws -> SessionOverview? {
        let storage = frame.services.storage
        let web = try await storage.session(id: id).map { SessionOverview($0) }
        let app = try await storage.appSession(id: id).map { SessionOverview($0) }
        return [web, app].compactMap(\.self).first { $0.subject == subject }
    }

    private func devices(of subject: Subject, at now: Timestamp) async throws -> [DeviceSecret] {
        try await frame.device?.devices.deviceSecrets(of: subject, includingEnded: true, at: now) ?? []
    }

    @Sendable func endSession(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let id = SessionID(rawValue: try AdminRequestReader.parameter("id", context))
        let path = try Self.userPath(fields)
        let hasEnded = try await frame.services.users.endSession(
            id, action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: path, isDone: hasEnded)
    }

    @Sendable func endSessions(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let ended = try await frame.services.users.endSessions(
            of: subject, action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: ConsoleRows.userPath(subject), isDone: ended > 0)
    }

    @Sendable func withdrawConsent(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let client = ClientID(rawValue: try AdminRequestReader.parameter("client_id", context))
        let wasThere = try await frame.services.users.withdrawConsent(
            of: subject, to: client, action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: ConsoleRows.userPath(subject), isDone: wasThere)
    }

    @Sendable func setDisabled(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        guard let isDisabled = try AdminRequestReader.flag("disabled", fields) else {
            throw OAuthError(.invalidRequest, "disabled must be true or false")
        }
        // Enabling opens the account again.
        if !isDisabled { try await frame.services.gate.requireFreshSignIn(visit, request, context) }
        let outcome = try await frame.services.users.change(
            subject, UserChange(isDisabled: isDisabled), password: nil,
            action: try frame.action(fields, request, context, visit))
        guard outcome != .lastAdministrator else {
            let refused = RefusedForm(form: .disable, fields: fields, fault: .problem(.lastAdministrator))
            return try await page(of: subject, refused: refused, request, context, visit)
        }
        let isDone = if case .changed = outcome { true } else { false }
        return frame.redirect(to: ConsoleRows.userPath(subject), isDone: isDone)
    }

    private static func userPath(_ fields: FormParameters) throws -> String {
        guard let subject = fields["sub"] else { throw OAuthError(.invalidRequest, "sub is missing") }
        return ConsoleRows.userPath(Subject(rawValue: subject))
    }
}
