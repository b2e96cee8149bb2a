import Bridge
import Hummingbird
import OAuth2

/// `POST /api/admin/explain`: what would be decided, and by which rule (contract §13). Changes nothing.
struct AdminExplainController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/api/admin/explain", "explain", as: .json, .administrator(for: .ask), explain)
    ]

    let gate: AdminGate
    let explainer: Explainer
    /// Judges the bearers of apps.
    let bearers: BearerGate
    let clients: Reloadable<ClientDirectory>
    let users: any UserStore
    /// Explains token exchanges; `nil` where there is no token endpoint.
    var exchange: NativeSSOInquiry?
    /// Explains answers of phones; `nil` where none are taken.
    var selfIssued: SelfIssuedExplainer?
    /// Explains devices without a browser; `nil` where there is no token endpoint.
    var devices: DeviceApprovals?
    /// Explains sign-ins across devices; `nil` where there are none.
    var phones: PhoneSignIns?

    @Sendable func explain(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let object = try await AdminRequestReader.object(request)
        let explanation: Explanation
        switch object["kind"]?.string {
        case "redirect":
            try AdminRequestReader.check(object, knows: ["kind", "client_id", "redirect"])
            explanation = explainer.redirect(
                Array(try Self.text("redirect", object).utf8),
                client: ClientID(rawValue: try Self.text("client_id", object)))
        case "redemption":
            try AdminRequestReader.check(object, knows: ["kind", "token", "redirect", "ip"])
            explanation = try await explainer.redemption(
                Secret(try Self.text("token", object)),
                redirect: try Self.optionalText("redirect", object).map { Array($0.utf8) },
                address: try Self.address(object))
        case "bearer":
            try AdminRequestReader.check(object, knows: ["kind", "token", "client_id"])
            explanation = try await bearers.explain(
                Secret(try Self.text("token", object)),
                opening: try Self.optionalText("client_id", object).map(ClientID.init(rawValue:)),
                in: clients.current, users: users)
        case "exchange":
            guard let exchange else { throw OAuthError(.notFound, "there is no token endpoint here") }
            explanation = try await exchange.explain(
                try Self.parameters(object), origin: context.origin(of: request), at: gate.time.now())
        case "self_issued":
            guard let selfIssued else { throw OAuthError(.notFound, "no phone's answers are taken here") }
            try AdminRequestReader.check(
                object, knows: ["kind", "id_token", "access_token", "userinfo_token", "nonce"])
            let nonce = try Self.optionalText("nonce", object)
            explanation = try await selfIssued.explain(
                try Self.parameters(object.filter { $0.key != "nonce" }), nonce: nonce)
        case "device_code":
            guard let devices else { throw OAuthError(.notFound, "there is no token endpoint here") }
            try AdminRequestReader.check(object, knows: ["kind", "user_code"])
            explanation = try await devices.explain(
                userCode: try Self.text("user_code", object), at: gate.time.now())
        case "cross_device": explanation = try await crossDevice(object)
        default:
            throw OAuthError(
                .invalidRequest,
                "kind must be redirect, redemption, exchange, bearer, self_issued, device_code or cross_device")
        }
        return .json(bytes: Array(explanation.json.utf8))
    }

    /// The app that is to approve, the page that it is to approve, or both.
    private func crossDevice(_ object: [String: JSONValue]) async throws -> Explanation {
        guard let phones else { throw OAuthError(.notFound, "no sign-ins across devices are taken here") }
        try AdminRequestReader.check(object, knows: ["kind", "token", "link", "user_code"])
        let token = try Self.optionalText("token", object)
        let link = try Self.optionalText("link", object)
        let letters = try Self.optionalText("user_code", object)
        guard link == nil || letters == nil, token != nil || link != nil || letters != nil else {
            throw OAuthError(.invalidRequest, "token, and link or user_code, or one of them is needed")
        }
        var explanation = Explanation(rule: "cross_device")
        var bearer: BearerIdentity?
        if let token {
            bearer = try await bearers.named(by: Secret(token), in: &explanation)
            guard bearer != nil else { return explanation }
        }
        try await phones.explain(
            link.map(PhoneSignIns.Shown.link) ?? letters.map(PhoneSignIns.Shown.letters), bearer: bearer,
            in: &explanation)
        return explanation
    }

    /// The token request's parameters, which come along with `kind` (contract §13).
    private static func parameters(_ object: [String: JSONValue]) throws -> FormParameters {
        var pairs: [String] = []
        for (name, value) in object.sorted(by: { $0.key < $1.key }) where name != "kind" && !value.isNull {
            guard let text = value.string else { throw OAuthError(.invalidRequest, "a parameter is no text") }
            pairs.append("\(PercentEncoding.encode(name))=\(PercentEncoding.encode(text))")
        }
        return try FormParameters(parsing: pairs.joined(separator: "&").utf8)
    }

    private static func address(_ object: [String: JSONValue]) throws -> NetworkAddress? {
        guard let text = try optionalText("ip", object) else { return nil }
        guard let address = NetworkAddress(text) else { throw OAuthError(.invalidRequest, "ip is no address") }
        return address
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
