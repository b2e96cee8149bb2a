import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The explain box: a form for each thing that can be asked here.
struct ConsoleExplain: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/explain", "consoleExplain", explain),
        Route(form: "/admin/explain", "consoleAnswer", for: .ask, answer),
    ]

    let frame: ConsoleFrame
    let explanations: Explanations

    @Sendable func explain(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        frame.render("explain", try await choices(nil), section: .explain, visit: visit, request, context)
    }

    @Sendable func answer(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let words = frame.words(request, context)
        var values = try await choices(fields["client_id"])
        do {
            let explanation = try await explanation(fields, origin: context.origin(of: request))
            if fields["kind"] == "redirect" { values["redirect"] = fields["redirect"] }
            values["is_answered"] = true
            values["passes"] = explanation.passes
            values["reason"] = explanation.reason
            values["rule"] = explanation.rule
            values["steps"] = explanation.steps.map { ["check": $0.check, "outcome": $0.outcome] }
            values["is_foreign"] = words.language != "en"
            values["events_path"] = explanation.tokenID.map { id in
                "\(ConsoleSection.events.path)?\(ConsoleEvents.query([("token_id", id.rawValue)]))"
            }
            return frame.render("explain", values, section: .explain, visit: visit, request, context)
        } catch {
            guard let fault = ConsoleFault(error) else { throw error }
            values.merge(fault.values(words)) { $1 }
            values.merge(Self.typed(fields, fault)) { $1 }
            return frame.render(
                "explain", values, section: .explain, visit: visit, request, context,
                status: .init(code: fault.code.status))
        }
    }

    /// What was typed into the form that could not be answered, and which of its fields is wrong. Tokens and codes are
    /// secrets: they are not shown again.
    private static func typed(_ fields: FormParameters, _ fault: ConsoleFault) -> [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        switch fields["kind"] {
        case "redirect": values["redirect"] = fields["redirect"]
        case "redemption":
            values["token_redirect"] = fields["redirect"]
            values["ip"] = fields["ip"]
            values["is_ip_wrong"] = fault.names("ip")
        case "exchange":
            values["is_access_token"] = fields["subject_token_type"] == TokenTypeURI.accessToken
            values["audience"] = fields["audience"] ?? ""
            values["scope"] = fields["scope"]
            values["is_scope_wrong"] = fault.names("scope")
        case "self_issued": values["nonce"] = fields["nonce"]
        case "cross_device": values["is_shown_wrong"] = fault.names("link")
        default: break
        }
        return values
    }

    /// The forms have the kinds of the API (contract §13), and its names but where two fields stand for one.
    private func explanation(_ fields: FormParameters, origin: RequestOrigin) async throws -> Explanation {
        switch fields["kind"] {
        case "redirect":
            explanations.rules.redirect(
                fields.bytes("redirect") ?? [], client: ClientID(rawValue: fields["client_id"] ?? ""))
        case "redemption":
            try await explanations.rules.redemption(
                Secret(Self.loginToken(in: fields["token"] ?? "")), redirect: fields.bytes("redirect"),
                // What is no text is no address either, and not as if there were none.
                address: try Explanations.address(fields.bytes("ip").map { String(decoding: $0, as: UTF8.self) }))
        case "bearer": try await explanations.bearer(fields["token"] ?? "", opening: fields["client_id"])
        case "exchange": try await explanations.exchange(origin: origin) { fields }
        case "self_issued": try await explanations.selfIssued { (fields, fields["nonce"]) }
        case "device_code": try await explanations.deviceCode { fields["user_code"] ?? "" }
        case "cross_device":
            try await explanations.crossDevice {
                // Whichever is at hand: letters have no slash.
                let shown = fields["shown"]
                let isLink = shown?.contains("/") ?? false
                return try Explanations.CrossDevice(
                    token: fields["token"], link: isLink ? shown : nil, letters: isLink ? nil : shown)
            }
        default: throw OAuthError(.invalidRequest, "kind is missing or unknown")
        }
    }

    /// The login token of a link, which is what people who ask have at hand, or what was pasted in its place. No
    /// character of a token is written otherwise in a link.
    static func loginToken(in pasted: String) -> String {
        let parts = pasted.split { $0 == "?" || $0 == "#" || $0 == "&" || $0.isWhitespace }
        let parameter = parts.first { $0.hasPrefix("token=") }
        return String(parameter?.dropFirst("token=".count) ?? parts.first ?? "")
    }

    /// What the forms choose from, and which of them there are.
    private func choices(_ chosen: String?) async throws -> [String: any Sendable] {
        let clients = try await frame.services.clients.clients()
        func rows(_ clients: [Client], _ usual: ClientID? = nil) -> [[String: any Sendable]] {
            let isThere = clients.contains { $0.id.rawValue == chosen }
            let marked = isThere ? chosen : usual?.rawValue
            return clients.map { ["id": $0.id.rawValue, "is_chosen": $0.id.rawValue == marked] }
        }
        let websites = clients.filter { $0.kind == .web }
        let exchanging = clients.filter { $0.grantTypes.contains(.tokenExchange) }
        return [
            "clients": rows(websites, frame.kit.clients.current.defaultWebsite?.id),
            "exchanging": rows(exchanging),
            "can_exchange": explanations.knowsExchanges && !exchanging.isEmpty,
            "takes_phone_keys": explanations.knowsPhoneKeys, "takes_device_codes": explanations.knowsDeviceCodes,
            "takes_cross_device": explanations.knowsCrossDevice, "audience": frame.issuer.description,
        ]
    }
}
