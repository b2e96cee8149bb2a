import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/api/admin/settings/native-sso` (contract §8).
struct NativeSSOSettingsController: AdministratorGroup {
    private static let path = "/api/admin/settings/native-sso"

    static let routes: [Route<Self>] = [
        Route(.get, path, "nativeSSOSettings", as: .json, .administrator, show),
        Route(.put, path, "changeNativeSSOSettings", as: .json, .administrator, change),
        Route(.delete, path, "resetNativeSSOSettings", as: .json, .administrator, reset),
    ]

    let gate: AdminGate
    let configuration: NativeSSOConfiguration

    @Sendable func show(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        return try await document()
    }

    @Sendable func change(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        _ = try AdminRequestReader.query(request, knowing: [])
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.mediaType(of: request) == "application/json" else { throw OAuthError(.unsupportedMediaType) }
        let changes = try NativeSSOSettingsText.read(body)
        try await gate.requireFreshSignIn(visit, request, context)
        try await configuration.change(
            changes, by: AdminRequestReader.action(visit, request, context, at: gate.time.now()))
        return try await document()
    }

    @Sendable func reset(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let reason = try await AdminRequestReader.reasonAlone(request)
        // The file's values may give what a change has taken away.
        try await gate.requireFreshSignIn(visit, request, context)
        try await configuration.reset(
            by: AdminRequestReader.action(visit, reason: reason, request, context, at: gate.time.now()))
        return try await document()
    }

    private func document() async throws -> Response {
        var settings = JSONObjectWriter()
        for entry in try await configuration.entries() {
            var field = JSONObjectWriter()
            switch entry.value {
            case .flag(let flag): field.add("value", flag)
            case .number(let number): field.add("value", Int64(number))
            case .word(let word): field.add("value", word)
            }
            field.add("source", entry.source.rawValue)
            if let range = entry.field.range {
                field.add("minimum", Int64(range.lowerBound))
                field.add("maximum", Int64(range.upperBound))
            }
            settings.add(entry.field.rawValue, json: field)
        }
        return TokenAnswer.response("{\"settings\":\(settings.finishedText())}")
    }
}
