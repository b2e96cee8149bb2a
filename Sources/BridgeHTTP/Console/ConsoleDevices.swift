import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// A user's device secrets: listed on the user's page, revoked here.
struct ConsoleDevices: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(form: "/admin/device-secrets/{id}/revoke", "consoleRevokeDeviceSecret", revoke)
            .says("revoke_label", in: "console_user")
    ]

    let frame: ConsoleFrame
    let device: DeviceServices

    /// What one page shows, the youngest first.
    private static let pageSize = 100

    /// For the user's page.
    /// - Parameter devices: all of the user's, ended ones too.
    static func values(
        of devices: [DeviceSecret], at now: Timestamp, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        [
            "has_provider": true, "devices": devices.prefix(pageSize).map { row($0, at: now, words) },
            "has_devices": !devices.isEmpty, "has_more_devices": devices.count > pageSize,
        ]
    }

    @Sendable func revoke(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        guard let subject = fields["sub"] else { throw OAuthError(.invalidRequest, "sub is missing") }
        let action = try frame.action(fields, request, context, visit)
        let outcome = try await device.secrets.revoke(
            DeviceSecretID(rawValue: try AdminRequestReader.parameter("id", context)), by: action)
        guard outcome != .unknown else { throw OAuthError(.notFound) }
        return frame.redirect(to: ConsoleRows.userPath(Subject(rawValue: subject)), isDone: outcome == .done)
    }

    private static func row(
        _ device: DeviceSecret, at now: Timestamp, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        func at(_ key: String, _ time: Timestamp, _ more: [String: String] = [:]) -> String {
            words("console_user", key, more.merging(["at": ConsoleRows.utc(time)]) { $1 })
        }
        let path = "/admin/device-secrets/\(PercentEncoding.encode(device.id.rawValue))/revoke"
        var row: [String: any Sendable] = [
            "id": device.id.rawValue, "path": path, "name": device.name ?? words("console_user", "nameless"),
            "given": at("given", device.createdAt, ["client": device.clientID.rawValue]),
            "until": at("until", device.expiresAt),
            "revoke_label": words("console_user", "revoke_label", ["id": device.id.rawValue]),
            "alive": device.isAlive(at: now), "is_bound": device.keyThumbprint != nil,
            "session_path": "\(ConsoleSection.events.path)?sid=\(PercentEncoding.encode(device.sessionID.rawValue))",
        ]
        row["platform"] = device.platform
        row["used"] = device.lastUsedAt.map { at("uses", $0, ["count": String(device.useCount)]) }
        row["revoked"] = device.revokedAt.map { at("revoked", $0) }
        row["revoke_reason"] = device.revokeReason
        row["expired"] = device.revokedAt == nil && !device.isAlive(at: now)
        return row
    }
}
