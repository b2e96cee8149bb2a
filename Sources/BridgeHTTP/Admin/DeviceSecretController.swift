import Bridge
import Hummingbird
import OAuth2

/// Device secrets of users, for administrators (contract §8).
struct DeviceSecretController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/admin/users/{id}/device-secrets", "deviceSecretsOfUser", as: .json, .administrator, list),
        Route(.delete, "/api/admin/device-secrets/{id}", "revokeDeviceSecret", as: .json, .administrator, revoke),
    ]

    let gate: AdminGate
    let device: DeviceServices
    let users: UserRegister

    @Sendable func list(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(request, knowing: ["cursor", "limit", "include_revoked"])
        let limit = try AdminRequestReader.limit(query)
        let now = gate.time.now()
        let includesEnded = try AdminRequestReader.flag("include_revoked", query) ?? false
        let cursor = try AdminRequestReader.cursor(query)
        let subject = Subject(rawValue: try AdminRequestReader.parameter("id", context))
        guard try await users.user(subject) != nil else { throw OAuthError(.notFound) }
        // The one that a page ended with may have ended itself since.
        var found = try await device.devices.deviceSecrets(
            of: subject, includingEnded: includesEnded || cursor != nil, at: now)
        if let cursor {
            guard let place = found.firstIndex(where: { $0.id.rawValue == cursor }) else {
                throw OAuthError(.invalidRequest, "cursor is not one of this list")
            }
            found.removeFirst(place + 1)
            if !includesEnded { found.removeAll { !$0.isAlive(at: now) } }
        }
        let page = found.prefix(limit)
        return .list(
            page.map { Self.object($0, at: now) }, next: found.count > limit ? page.last?.id.rawValue : nil)
    }

    @Sendable func revoke(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let reason = try await AdminRequestReader.reasonAlone(request)
        let outcome = try await device.secrets.revoke(
            DeviceSecretID(rawValue: try AdminRequestReader.parameter("id", context)),
            by: AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now()))
        guard outcome != .unknown else { throw OAuthError(.notFound) }
        return .done
    }

    private static func object(_ device: DeviceSecret, at now: Timestamp) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add("id", device.id.rawValue)
        object.add("sub", device.subject.rawValue)
        object.add("client_id", device.clientID.rawValue)
        object.add("sid", device.sessionID.rawValue)
        object.add("device_name", device.name)
        object.add("device_platform", device.platform)
        object.add("created_at", device.createdAt)
        object.add("last_used_at", device.lastUsedAt)
        object.add("use_count", Int64(device.useCount))
        object.add("expires_at", device.expiresAt)
        object.add("bound_to_key", device.keyThumbprint != nil)
        object.add("active", device.isAlive(at: now))
        object.add("revoked_at", device.revokedAt)
        object.add("revoke_reason", device.revokeReason)
        return object
    }
}
