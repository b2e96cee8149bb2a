import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The clients, and an editor of one's document that says which field is wrong.
struct ConsoleClients: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/clients", "consoleClients", list),
        Route(form: "/admin/clients", "consoleAddClient", create).says("register", in: "console_clients"),
        Route(page: "/admin/register-client", "consoleRegisterClient", showEmpty),
        Route(page: "/admin/clients/{id}", "consoleClient", show),
        Route(form: "/admin/clients/{id}", "consoleSaveClient", save)
            .says("apply", in: "console_clients", about: idLabel),
        Route(form: "/admin/clients/{id}/delete", "consoleDeleteClient", delete)
            .says("delete", in: "console_clients", about: idLabel),
        Route(form: "/admin/clients/{id}/secret", "consoleRenewClientSecret", renewSecret)
            .says("renew_secret", in: "console_clients", about: idLabel),
    ]

    let frame: ConsoleFrame

    private static let idLabel: FormButton.Text = ("console_clients", "client_id")

    @Sendable func list(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["sort", ConsoleFrame.doneName])
        let order = try ClientOrder.asked(in: query) ?? .id
        let clients = order.sort(try await frame.services.clients.clients(), in: frame.services.clients)
        let rows = clients.map { client -> [String: any Sendable] in
            [
                "id": client.id.rawValue, "name": client.name, "kind": client.kind.rawValue,
                "path": Self.path(of: client.id), "is_fixed": frame.services.clients.isFixed(client.id),
            ]
        }
        let words = frame.words(request, context)
        return frame.render(
            "clients",
            [
                "clients": rows, "count": words.count(rows.count), "columns": ClientOrder.columns(by: order, words),
                "is_done": ConsoleFrame.saysDone(query),
            ], section: .clients, visit: visit, request, context)
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let client = try await client(context)
        let text = try ClientText(of: client)
        return try editor(client, document: try text.pretty(), tag: text.tag, request, context, visit)
    }

    @Sendable func showEmpty(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["type"])
        return try editor(
            nil, document: try ClientText.pretty(Self.beginning(query["type"])), tag: "",
            typed: TypedForm(type: query["type"]), request, context, visit)
    }

    @Sendable func create(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        do {
            let members = try members(fields, over: [:])
            // The client would be known by a random id alone.
            let isNameless = ["client_id", "client_name"].allSatisfy { members[$0]?.isNull ?? true }
            let edit = try ClientEdit(members, of: nil, lacksName: isNameless, random: frame.random)
            if isNameless { throw ConsoleProblem.clientNameNeeded }
            let action = try frame.action(fields, request, context, visit)
            guard try await frame.services.clients.add(edit.client, action: action) else {
                throw ConsoleProblem.clientExists
            }
            return try saved(edit, request, context, visit)
        } catch {
            guard let fault = ConsoleFault(error) else { throw error }
            let typed = typed(fields)
            let members = typed.members ?? Self.beginning(nil)
            return try editor(
                nil, document: try fields["document"] ?? ClientText.pretty(members), tag: "", typed: typed,
                fault: fault, request, context, visit)
        }
    }

    @Sendable func save(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(fields, request, context, visit) { seen in
            try ClientEdit(
                try members(fields, over: try ClientText(of: seen).members), of: seen, random: frame.random)
        }
    }

    @Sendable func delete(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let seen = try await client(context)
        do {
            try check(seen, tag: fields["tag"] ?? "")
            let action = try frame.action(fields, request, context, visit)
            guard try await frame.services.clients.delete(seen, action: action) else {
                throw OAuthError(.preconditionFailed)
            }
            return frame.redirect(to: ConsoleSection.clients.path, isDone: true)
        } catch {
            return try await again(fields, error, request, context, visit)
        }
    }

    /// Replaces a secret that was lost or has leaked.
    @Sendable func renewSecret(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await change(fields, asksForSecret: true, request, context, visit) { seen in
            try ClientEdit(renewingSecretOf: seen, random: frame.random)
        }
    }

    /// - Parameter edit: what becomes of the client as the page's form was made from it.
    private func change(
        _ fields: FormParameters, asksForSecret: Bool = false, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit, _ edit: (Client) throws -> ClientEdit
    ) async throws -> Response {
        let seen = try await client(context)
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        do {
            try check(seen, tag: fields["tag"] ?? "")
            let changed = try edit(seen)
            let action = try frame.action(fields, request, context, visit)
            guard try await frame.services.clients.replace(seen, with: changed.client, action: action) else {
                throw OAuthError(.preconditionFailed)
            }
            return try saved(changed, request, context, visit)
        } catch {
            return try await again(fields, error, asksForSecret: asksForSecret, request, context, visit)
        }
    }

    /// The client's page with what stood in the way. Where that is somebody else's change, its forms are made from the
    /// client as it is now: what was typed is saved over it by a second click, which the page says.
    /// - Parameter asksForSecret: whether a new secret was asked for. Where that was done twice, as by a double click,
    ///   the change is one's own, and the secret of the first time was never seen.
    private func again(
        _ fields: FormParameters, _ error: any Error, asksForSecret: Bool = false, _ request: Request,
        _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        guard let fault = ConsoleFault(error) else { throw error }
        let client = try await client(context)
        let now = try ClientText(of: client)
        var values: [String: any Sendable] = [:]
        // A deletion, or a new secret, brings no document: the page shows the client as it is now.
        let hasTyped = fields["document"] != nil || fields["client_type"] != nil
        let isConflict = fault.code == .preconditionFailed
        if isConflict {
            let changes = hasTyped ? changes(fields, of: client, now) : []
            let conflict: [String: any Sendable] = [
                "path": Self.path(of: client.id), "has_typed": hasTyped, "fields": changes,
                "is_listed": !changes.isEmpty, "asked_for_secret": asksForSecret,
            ]
            values["conflict"] = conflict
            // Nothing is wrong with what was typed.
            values["is_document_wrong"] = false
            values["is_over_form"] = fields["client_type"] != nil && fields["document"] == nil
            values["is_over_document"] = fields["document"] != nil
        }
        return try editor(
            client, document: try fields["document"] ?? now.pretty(),
            tag: isConflict || !hasTyped ? now.tag : fields["tag"] ?? "", typed: typed(fields), more: values,
            fault: fault, request, context, visit)
    }

    /// The members of a client that would be others than they are now; none of what could not be saved at all.
    private func changes(_ fields: FormParameters, of client: Client, _ now: ClientText) -> [String] {
        guard let members = try? members(fields, over: now.members),
            let edit = try? ClientEdit(members, of: client, random: frame.random),
            let then = try? ClientText(of: edit.client).members
        else { return [] }
        return Set(now.members.keys).union(then.keys).filter { now.members[$0] != then[$0] }.sorted()
    }

    private func check(_ client: Client, tag: String) throws {
        try frame.services.clients.requireChangeable(client.id)
        guard try ClientText(of: client).tag == tag else { throw OAuthError(.preconditionFailed) }
    }

    private func client(_ context: BridgeRequestContext) async throws -> Client {
        let id = ClientID(rawValue: try AdminRequestReader.parameter("id", context))
        guard let client = try await frame.services.clients.client(id) else { throw OAuthError(.notFound) }
        return client
    }

    /// Not a redirect: this page is the only one that shows a new secret.
    private func saved(
        _ edit: ClientEdit, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) throws -> Response {
        let text = try ClientText(of: edit.client)
        var values: [String: any Sendable] = ["is_saved": true]
        values["secret"] = edit.secret?.expose()
        return try editor(
            edit.client, document: try text.pretty(), tag: text.tag, more: values, request, context, visit)
    }

    private func editor(
        _ client: Client?, document: String, tag: String, typed: TypedForm = TypedForm(),
        more: [String: any Sendable] = [:], fault: ConsoleFault? = nil, _ request: Request,
        _ context: BridgeRequestContext, _ visit: AdminVisit
    ) throws -> Response {
        let words = frame.words(request, context)
        var values = typed.values
        values.merge(more) { $1 }
        values["document"] = document
        values["tag"] = tag
        values["action"] = client.map { Self.path(of: $0.id) } ?? "/admin/clients"
        values["id"] = client?.id.rawValue
        values["title"] = client?.id.rawValue ?? words("console_clients", "register")
        values.merge(try form(of: client, typed, fault, words)) { $1 }
        values["is_fixed"] = client.map { frame.services.clients.isFixed($0.id) } ?? false
        values["lacks_redirect"] = client?.lacksRedirect ?? false
        values["uses_secret"] = client?.usesSecret ?? false
        values["closes_console"] = client.map { $0.id == visit.consoleClient } ?? false
        values["events_path"] = client.map {
            "\(ConsoleSection.events.path)?client_id=\(PercentEncoding.encode($0.id.rawValue))"
        }
        values["sessions_path"] = client.map {
            "\(ConsoleSection.sessions.path)?client_id=\(PercentEncoding.encode($0.id.rawValue))"
        }
        return frame.render(
            "client", values, section: .clients, visit: visit, request, context,
            status: fault.map { .init(code: $0.code.status) } ?? .ok)
    }

    /// The document that was sent: as JSON, or by the fields of the form, which leave alone what they do not show.
    private func members(_ fields: FormParameters, over seen: [String: JSONValue]) throws -> [String: JSONValue] {
        if let document = fields["document"] { return try Self.members(document) }
        guard let kind = fields["client_type"].flatMap(Client.Kind.init(rawValue:)) else {
            throw OAuthError(.invalidRequest, "client_type must be native, web or service")
        }
        var members = ClientForm.members(fields, over: seen, kind: kind)
        if members["client_id"] == nil { members["client_id"] = fields["client_id"].map(JSONValue.string) }
        return members
    }

    /// What was typed into the form, for the page that says what is wrong with it.
    private func typed(_ fields: FormParameters) -> TypedForm {
        var typed = TypedForm(reason: fields["reason"], isDocumentWrong: fields["document"] != nil)
        // Without a kind there is no form; that it is missing, the page says.
        guard fields["document"] == nil, let members = try? members(fields, over: [:]) else { return typed }
        typed.members = members
        typed.id = fields["client_id"] ?? ""
        return typed
    }

    private func form(
        of client: Client?, _ typed: TypedForm, _ fault: ConsoleFault?, _ words: ConsoleWords
    ) throws -> [String: any Sendable] {
        let members =
            try typed.members ?? client.map { try ClientText(of: $0).members } ?? Self.beginning(typed.type)
        let kind = members["client_type"]?.string.flatMap(Client.Kind.init(rawValue:)) ?? .web
        // Where a document was sent, nothing is wrong with the form above it.
        let faultOfForm = typed.isDocumentWrong ? nil : fault
        func isSaidThere(_ field: String) -> Bool {
            faultOfForm != nil && (ClientForm.shows(field, of: kind) || client == nil && field == "client_id")
        }
        var values = fault?.values(words, isSaidThere: isSaidThere) ?? [:]
        values["id_problem"] = faultOfForm?.problem(of: "client_id")
        let form: [String: any Sendable] = [
            "is_id_wrong": faultOfForm?.names("client_id") ?? false,
            "kind": kind.rawValue, "kind_help": words("console_clients", "\(kind.rawValue)_help"),
            "type_is": words("console_clients", "type_is", ["kind": kind.rawValue]),
            "kinds": Client.Kind.allCases.map {
                ["kind": $0.rawValue, "is_current": $0 == kind] as [String: any Sendable]
            },
            "groups": ClientForm.values(members, kind: kind, isNew: client == nil, fault: faultOfForm, words),
        ]
        return values.merging(form) { $1 }
    }

    /// What a new client begins with.
    private static func beginning(_ type: String?) -> [String: JSONValue] {
        switch type.flatMap(Client.Kind.init(rawValue:)) ?? .web {
        case .native:
            [
                "client_type": .string("native"), "token_endpoint_auth_method": .string("none"),
                "grant_types": .array([.string("authorization_code"), .string("refresh_token")]),
            ]
        case .web:
            [
                "client_type": .string("web"), "token_endpoint_auth_method": .string("client_secret_basic"),
                "grant_types": .array([.string("authorization_code")]),
            ]
        case .service:
            [
                "client_type": .string("service"), "token_endpoint_auth_method": .string("client_secret_basic"),
                "grant_types": .array([.string("client_credentials")]),
            ]
        }
    }

    private static func members(_ document: String) throws -> [String: JSONValue] {
        guard let members = JSONValue.parse(document.utf8)?.object else {
            throw ConsoleProblem.noJSON
        }
        return members
    }

    private static func path(of id: ClientID) -> String { "/admin/clients/\(PercentEncoding.encode(id.rawValue))" }
}

/// What an administrator has typed into the form of a client.
private struct TypedForm {
    /// `nil` where a document was sent instead, or the form had no kind.
    var members: [String: JSONValue]?
    var id: String?
    var reason: String?
    /// The kind that a new client begins with.
    var type: String?
    /// Whether it is a document that was sent, and is wrong.
    var isDocumentWrong = false

    /// The form as the template reads it.
    var values: [String: any Sendable] {
        var values: [String: any Sendable] = ["is_document_wrong": isDocumentWrong]
        values["typed_id"] = id
        values["reason"] = reason
        return values
    }
}

extension Client {
    /// Whether it is an app that may sign people in with codes, and has no place for a code to go to.
    fileprivate var lacksRedirect: Bool {
        kind == .native && grantTypes.contains(.authorizationCode) && redirectURIs.isEmpty
    }
}
