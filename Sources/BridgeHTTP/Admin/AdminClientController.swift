import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/api/admin/clients`: registered clients, changed by documents (contract §8, §14).
struct AdminClientController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/admin/clients", "clients", as: .json, .administrator, list),
        Route(.post, "/api/admin/clients", "addClient", as: .json, .administrator, create),
        Route(.get, "/api/admin/clients/{id}", "client", as: .json, .administrator, show),
        Route(.put, "/api/admin/clients/{id}", "replaceClient", as: .json, .administrator, replace),
        Route(.patch, "/api/admin/clients/{id}", "patchClient", as: .json, .administrator, patch),
        Route(.delete, "/api/admin/clients/{id}", "deleteClient", as: .json, .administrator, delete),
        Route(.post, "/api/admin/clients/{id}/secret", "renewClientSecret", as: .json, .administrator, renewSecret),
    ]

    let gate: AdminGate
    let clients: ClientRegister
    let random: RandomSource

    @Sendable func list(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "limit"])
        let limit = try AdminRequestReader.limit(query)
        let all = try await clients.clients()
        let place = try IDCursor.id(in: query, of: .clients)
        let rest = place.map { last in all.filter { $0.id.rawValue > last } } ?? all
        let page = rest.prefix(limit)
        let end = rest.count > limit ? page.last : nil
        return .list(
            try page.map { try ClientText(of: $0).bytes },
            next: end.map { IDCursor(list: .clients, id: $0.id.rawValue).text })
    }

    @Sendable func create(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let members = try await AdminRequestReader.object(request)
        let edit = try ClientEdit(members, of: nil, random: random)
        // A client outlives every token of who registers it, and one with the scope `admin` administers.
        try await gate.requireFreshSignIn(visit, request, context)
        let action = AdminRequestReader.action(visit, request, context, at: gate.time.now())
        guard try await clients.add(edit.client, action: action) else {
            throw OAuthError(.conflict, "there is a client with this client_id")
        }
        var response = try answer(edit, status: .created)
        response.headers[.location] = "/api/admin/clients/\(PercentEncoding.encode(edit.client.id.rawValue))"
        return response
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let text = try ClientText(of: try await client(context))
        if request.knows(text.tag) { return Response(status: .notModified, headers: [.eTag: text.tag]) }
        var response = Response.json(bytes: text.bytes)
        response.headers[.eTag] = text.tag
        return response
    }

    @Sendable func replace(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let members = try await AdminRequestReader.object(request)
        return try await change(request, context, visit) { seen in
            try ClientEdit(members, of: seen, random: random)
        }
    }

    @Sendable func patch(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let members = try await AdminRequestReader.object(request)
        return try await change(request, context, visit) { seen in
            try ClientEdit(try ClientText(of: seen).patched(by: members), of: seen, random: random)
        }
    }

    @Sendable func delete(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let reason = try await AdminRequestReader.reasonAlone(request)
        let seen = try await precondition(request, context)
        let action = AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now())
        guard try await clients.delete(seen, action: action) else { throw OAuthError(.preconditionFailed) }
        return .done
    }

    /// `POST …/{id}/secret`: replaces a secret that was lost or has leaked.
    @Sendable func renewSecret(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws
        -> Response
    {
        let reason = try await AdminRequestReader.reasonAlone(request)
        return try await change(reason: reason, request, context, visit) { seen in
            try ClientEdit(renewingSecretOf: seen, random: random)
        }
    }

    /// - Parameter edit: what becomes of the client as the caller has seen it.
    private func change(
        reason: String? = nil, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit,
        _ edit: (Client) throws -> ClientEdit
    ) async throws -> Response {
        let seen = try await precondition(request, context)
        let changed = try edit(seen)
        try await gate.requireFreshSignIn(visit, request, context)
        let action = AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now())
        guard try await clients.replace(seen, with: changed.client, action: action) else {
            throw OAuthError(.preconditionFailed)
        }
        return try answer(changed)
    }

    /// The client as it is, when it is what the caller has seen (RFC 9110 §13.1.1, RFC 6585 §3).
    private func precondition(_ request: Request, _ context: BridgeRequestContext) async throws -> Client {
        let client = try await client(context)
        guard let condition = request.headers.value(of: .ifMatch) else { throw OAuthError(.preconditionRequired) }
        guard EntityTags(condition)?.containsStrongly(try ClientText(of: client).tag) == true else {
            throw OAuthError(.preconditionFailed)
        }
        try clients.requireChangeable(client.id)
        return client
    }

    private func client(_ context: BridgeRequestContext) async throws -> Client {
        let id = ClientID(rawValue: try AdminRequestReader.parameter("id", context))
        guard let client = try await clients.client(id) else { throw OAuthError(.notFound) }
        return client
    }

    private func answer(_ edit: ClientEdit, status: HTTPResponse.Status = .ok) throws -> Response {
        let text = try ClientText(of: edit.client)
        var response = Response.json(bytes: try text.bytes(showing: edit.secret), status: status)
        response.headers[.eTag] = text.tag
        return response
    }
}
