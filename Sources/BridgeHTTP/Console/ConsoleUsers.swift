import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Users, and one user with sessions and events in one view.
struct ConsoleUsers: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/users", "consoleUsers", list),
        Route(page: "/admin/users/{id}", "consoleUser", show),
        Route(form: "/admin/users/{id}/end-sessions", "consoleEndSessions", endSessions),
        Route(form: "/admin/users/{id}/standing", "consoleStanding", setDisabled),
        Route(form: "/admin/sessions/{id}/end", "consoleEndSession", endSession),
    ]

    let frame: ConsoleFrame

    private static let pageSize = 50

    @Sendable func list(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "sub"])
        if let subject = query["sub"] { return frame.redirect(to: ConsoleRows.userPath(Subject(rawValue: subject))) }
        let found = try await frame.services.users.users(
            after: query["cursor"].map(Subject.init(rawValue:)), limit: Self.pageSize + 1)
        let page = found.prefix(Self.pageSize)
        var values: [String: any Sendable] = ["users": page.map(ConsoleRows.user), "is_empty": page.isEmpty]
        if found.count > Self.pageSize, let last = page.last {
            values["next_path"] = "/admin/users?cursor=\(PercentEncoding.encode(last.subject.rawValue))"
        }
        return frame.render("users", values, section: .users, visit: visit, request, context)
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        return try await page(of: subject, request, context, visit)
    }

    private func page(
        of subject: Subject, problem: String? = nil, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit
    ) async throws -> Response {
        let services = frame.services
        guard let user = try await services.users.user(subject) else { throw OAuthError(.notFound) }
        let now = frame.time.now()
        let sessions = try await services.users.sessions(of: subject, before: nil, limit: 200)
        var filter = AuditFilter()
        filter.subject = subject
        let events = try await services.storage.search(filter, before: nil, limit: 20).entries
        var values = ConsoleRows.user(user)
        values["problem"] = problem
        if let device = frame.device {
            values.merge(try await ConsoleDevices.values(of: subject, in: device, at: now)) { $1 }
        }
        values["sessions"] = sessions.map { ConsoleRows.session($0, at: now) }
        values["has_sessions"] = !sessions.isEmpty
        values["has_live_sessions"] = sessions.contains { $0.isAlive(at: now) }
        values["events"] = events.map { ConsoleRows.event($0) }
        values["events_path"] = "/admin/events?sub=\(PercentEncoding.encode(subject.rawValue))"
        return frame.render(
            "user", values, section: .users, visit: visit, request, context,
            status: problem == nil ? .ok : .init(code: ErrorCode.conflict.status))
    }

    @Sendable func endSession(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let id = SessionID(rawValue: try AdminRequestReader.parameter("id", context))
        _ = try await frame.services.users.endSession(id, action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: try Self.userPath(fields))
    }

    @Sendable func endSessions(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        _ = try await frame.services.users.endSessions(
            of: subject, action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: ConsoleRows.userPath(subject))
    }

    @Sendable func setDisabled(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        let outcome = try await frame.services.users.change(
            subject, UserChange(isDisabled: fields["disabled"] == "true"), password: nil,
            action: try frame.action(fields, request, context, visit))
        guard outcome != .lastAdministrator else {
            return try await page(
                of: subject, problem: AdminUserController.lastAdministrator.publicDescription, request, context, visit)
        }
        return frame.redirect(to: ConsoleRows.userPath(subject))
    }

    private static func userPath(_ fields: FormParameters) throws -> String {
        guard let subject = fields["sub"] else { throw OAuthError(.invalidRequest, "sub is missing") }
        return ConsoleRows.userPath(Subject(rawValue: subject))
    }
}
