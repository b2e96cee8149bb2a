import Bridge
import Hummingbird
import OAuth2

/// `/api/admin/keys`: the signing keys, without their secrets.
struct AdminKeyController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/admin/keys", "keys", as: .json, .administrator, list),
        Route(.post, "/api/admin/keys/rotate", "rotateKeys", as: .json, .administrator, rotate),
        Route(.post, "/api/admin/keys/{kid}/retire", "retireKey", as: .json, .administrator, retire),
    ]

    let gate: AdminGate
    let keys: SigningKeys

    @Sendable func list(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "limit"])
        let limit = try AdminRequestReader.limit(query)
        var found = try await keys.keys()
        if let cursor = try AdminRequestReader.cursor(query) {
            guard let place = found.firstIndex(where: { $0.id == cursor }) else {
                throw OAuthError(.invalidRequest, "cursor is not one of this list")
            }
            found.removeFirst(place + 1)
        }
        let page = found.prefix(limit)
        return .list(page.map(Self.object), next: found.count > limit ? page.last?.id : nil)
    }

    @Sendable func rotate(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let reason = try await AdminRequestReader.reasonAlone(request)
        try await gate.requireFreshSignIn(visit, request, context)
        try await keys.rotate(
            action: AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now()))
        return try await answer()
    }

    @Sendable func retire(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let id = try AdminRequestReader.parameter("kid", context)
        let reason = try await AdminRequestReader.reasonAlone(request)
        try await gate.requireFreshSignIn(visit, request, context)
        let action = AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now())
        guard try await keys.retire(id, action: action) != nil else { throw OAuthError(.notFound) }
        return try await answer()
    }

    private func answer() async throws -> Response {
        var body = JSONObjectWriter()
        body.add("keys", objects: try await keys.keys().map(Self.object))
        return .json(body)
    }

    private static func object(_ key: KeyOverview) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add("kid", key.id)
        object.add("use", key.use.rawValue)
        object.add("alg", key.algorithm.rawValue)
        object.add("state", key.state.rawValue)
        object.add("signs_from", key.signsFrom)
        object.add("retires_at", key.retiresAt)
        object.add("retired_at", key.withdrawnAt)
        object.add("consequences", key.consequences.map(\.sentence))
        return object
    }
}
