import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/api/xd/…`: an app that approves sign-ins of its user on other devices (contract §9).
struct ApprovalController: BearerGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/api/xd/{id}/scan", "scanSignIn", as: .json, .bearer, scan),
        Route(.post, "/api/xd/{id}/approve", "approveSignIn", as: .json, .bearer, approve),
        Route(.post, "/api/xd/{id}/deny", "denySignIn", as: .json, .bearer, deny),
        Route(.post, "/api/xd/by-code", "findSignIn", as: .json, .bearer, find),
        Route(.post, "/api/xd/code", "showSignInCode", as: .json, .bearer, showCode),
    ]

    let phones: PhoneSignInServices
    let bearers: BearerGate
    /// Where the pages are.
    let origin: WebOrigin

    @Sendable func scan(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        _ = try await TextMembers.read(request)
        let scanned = try await phones.approvals.scan(
            context.parameters.get("id") ?? "", bearer: bearer.identity, origin: bearer.origin)
        var body = JSONObjectWriter()
        body.add("origin", origin.description)
        if let browser = scanned.browser { body.add("browser", browser) } else { body.addNull("browser") }
        if let system = scanned.system { body.add("system", system) } else { body.addNull("system") }
        if let network = scanned.network { body.add("network", network) } else { body.addNull("network") }
        body.add("same_network", scanned.isSameNetwork)
        body.add("known_browser", scanned.isKnownBrowser)
        body.add("age", Int64(scanned.age))
        body.add("txn", scanned.transaction.expose())
        body.add("expires_in", Int64(scanned.expiresIn))
        return .json(body)
    }

    @Sendable func approve(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let fields = try await TextMembers.read(request, knowing: ["txn"])
        guard let transaction = fields["txn"] else { throw OAuthError(.invalidRequest, "txn is missing") }
        let shown = try await phones.approvals.approve(
            context.parameters.get("id") ?? "", transaction: transaction, bearer: bearer.identity,
            origin: bearer.origin)
        var body = JSONObjectWriter()
        body.add("confirm_code", shown.digits.expose())
        body.add("expires_in", Int64(shown.expiresIn))
        return .json(body)
    }

    @Sendable func deny(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let isReport = try await Self.readReport(request)
        try await phones.approvals.deny(
            context.parameters.get("id") ?? "", isReport: isReport, bearer: bearer.identity, origin: bearer.origin)
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    @Sendable func find(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let fields = try await TextMembers.read(request, knowing: ["user_code"])
        guard let code = fields["user_code"] else { throw OAuthError(.invalidRequest, "user_code is missing") }
        let found = try await phones.approvals.find(typed: code, bearer: bearer.identity, origin: bearer.origin)
        var body = JSONObjectWriter()
        body.add("id", found.id)
        body.add("link", "\(origin)/x/\(found.id)")
        body.add("expires_in", Int64(found.expiresIn))
        return .json(body)
    }

    @Sendable func showCode(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        _ = try await TextMembers.read(request)
        let shown = try await phones.shownCodes.show(bearer: bearer.identity, origin: bearer.origin)
        var body = JSONObjectWriter()
        body.add("code", shown.digits.expose())
        body.add("expires_in", Int64(shown.expiresIn))
        return .json(body)
    }
}

extension ApprovalController {
    private static let report = "report"

    /// - Returns: whether who says no raises an alarm too: in the body or in the query, once. An alarm that is not seen
    ///   or not understood must not pass for a plain no.
    private static func readReport(_ request: Request) async throws -> Bool {
        let query = try request.query()
        let said = try await TextMembers.read(request, knowing: ["txn", report], flags: [report])[report]
        guard query.names.contains(report) else { return try isReport(said) }
        guard said == nil, !query.isRepeated(report) else {
            throw OAuthError(.invalidRequest, "report is repeated")
        }
        return try isReport(query[report] ?? "")
    }

    private static func isReport(_ text: String?) throws(OAuthError) -> Bool {
        switch text {
        case "1", "true": return true
        case nil, "0", "false": return false
        default: throw OAuthError(.invalidRequest, "report must be 1, true, 0 or false")
        }
    }
}
