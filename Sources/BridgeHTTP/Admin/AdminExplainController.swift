import Bridge
import Hummingbird
import OAuth2

/// `POST /api/admin/explain`: what would be decided, and by which rule (contract §13). Changes nothing.
struct AdminExplainController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/api/admin/explain", "explain", as: .json, .administrator(for: .ask), explain)
    ]

    let gate: AdminGate
    let explanations: Explanations

    @Sendable func explain(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let object = try await AdminRequestReader.object(request)
        let explanation: Explanation
        switch object["kind"]?.string {
        case "redirect":
            try AdminRequestReader.check(object, knows: ["kind", "client_id", "redirect"])
            explanation = explanations.rules.redirect(
                Array(try Self.text("redirect", object).utf8),
                client: ClientID(rawValue: try Self.text("client_id", object)))
        case "redemption":
            try AdminRequestReader.check(object, knows: ["kind", "token", "redirect", "ip"])
            explanation = try await explanations.rules.redemption(
                Secret(try Self.text("token", object)),
                redirect: try Self.optionalText("redirect", object).map { Array($0.utf8) },
                address: try Explanations.address(try Self.optionalText("ip", object)))
        case "bearer":
            try AdminRequestReader.check(object, knows: ["kind", "token", "client_id"])
            explanation = try await explanations.bearer(
                try Self.text("token", object), opening: try Self.optionalText("client_id", object))
        case "exchange":
            let origin = context.origin(of: request)
            explanation = try await explanations.exchange(origin: origin) { try Self.parameters(object) }
        case "self_issued":
            explanation = try await explanations.selfIssued { try Self.phoneAnswer(object) }
        case "device_code":
            explanation = try await explanations.deviceCode {
                try AdminRequestReader.check(object, knows: ["kind", "user_code"])
                return try Self.text("user_code", object)
            }
        case "cross_device":
            explanation = try await explanations.crossDevice { try Self.crossDevice(object) }
        default:
            throw OAuthError(
                .invalidRequest,
                "kind must be redirect, redemption, exchange, bearer, self_issued, device_code or cross_device")
        }
        return .json(bytes: Array(explanation.json.utf8))
    }

    private static func phoneAnswer(_ object: [String: JSONValue]) throws -> (FormParameters, nonce: String?) {
        let judged: Set = ["id_token", "access_token", "userinfo_token", "error"]
        // A phone's answer has the rest besides what is judged here (RFC 6749 §4.2.2).
        let rest: Set = ["state", "token_type", "expires_in", "error_description", "error_uri"]
        try AdminRequestReader.check(object, knows: judged.union(rest).union(["kind", "nonce"]))
        return (
            try parameters(object.filter { judged.contains($0.key) }),
            nonce: try optionalText("nonce", object)
        )
    }

    private static func crossDevice(_ object: [String: JSONValue]) throws -> Explanations.CrossDevice {
        try AdminRequestReader.check(object, knows: ["kind", "token", "link", "user_code"])
        return try Explanations.CrossDevice(
            token: optionalText("token", object), link: optionalText("link", object),
            letters: optionalText("user_code", object))
    }

    /// The token request's parameters, which come along with `kind` (contract §13).
    private static func parameters(_ object: [String: JSONValue]) throws -> FormParameters {
        var pairs: [String] = []
        for (name, value) in object.sorted(by: { $0.key < $1.key }) where name != "kind" && !value.isNull {
            guard let text = value.string else { throw OAuthError(.invalidRequest, "a parameter must be text") }
            pairs.append("\(PercentEncoding.encode(name))=\(PercentEncoding.encode(text))")
        }
        return try FormParameters(parsing: pairs.joined(separator: "&").utf8)
    }

    private static func text(_ name: String, _ object: [String: JSONValue]) throws -> String {
        guard let text = object[name]?.string else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return text
    }

    private static func optionalText(_ name: String, _ object: [String: JSONValue]) throws -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string else { throw OAuthError(.invalidRequest, "\(name) must be text") }
        return text.isEmpty ? nil : text
    }
}
