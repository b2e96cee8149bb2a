import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

extension Pages {
    /// Who asks for what, in whose name, and where the answer goes.
    /// - Parameter isStale: whether the last answer did not count.
    func consent(
        _ request: AuthorizationRequest, user: String, fields: [HiddenField], switchURL: String, isStale: Bool,
        to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        let name = request.client.name
        func text(_ key: String, _ values: [String: String] = [:]) -> String {
            texts.text("consent", key, in: language, values)
        }
        var values: [String: any Sendable] = [
            "client": name, "user": user, "fields": fields.map(\.values), "switch_url": switchURL,
            "title": text("title", ["client": name]),
            "scopes": request.consentScope.tokens.map { scopeText($0, language) },
            "destination": destination(of: request, language),
            "deny_label": text("deny"), "allow_label": text("allow"), "is_stale": isStale,
        ]
        values["policy_uri"] = request.client.policyURI
        return render("consent", values, to: visitor, language: language, policy: .leadingOut)
    }

    /// A redirect to an app, with a link in its body: some browsers do not follow one that no tap began
    /// (docs/rules/authorization-request.md R8).
    func backToApp(at location: String, to visitor: PageVisitor) -> Response {
        var response = render("back_to_app", ["location": location], to: visitor, status: .seeOther)
        response.headers[.location] = location
        return response
    }

    /// An answer that the browser posts to the client: by the script, or by its user.
    func formPost(to uri: String, _ fields: [HiddenField], visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "form_post",
            [
                "action": uri, "fields": fields.map(\.values),
                "explanation": texts.text(
                    "form_post", "explanation", in: language, ["host": String(AnswerAddress.authority(of: uri))]),
            ], to: visitor, language: language, policy: .leadingOut)
    }

    /// A request that nobody can be answered to (docs/rules/authorization-request.md A1 to A4).
    func authorizationProblem(_ code: ErrorCode, _ problem: AuthorizationRefusal.Reason, to visitor: PageVisitor)
        -> Response
    {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("authorization", "title", in: language),
                "explanation": texts.text("authorization", problem.rawValue, in: language), "code": code.rawValue,
                // Who is told not to sign in inside an app is not led to where that can be done.
                "is_in_app": problem == .embeddedBrowser,
            ], to: visitor, language: language, status: .init(code: ErrorCode.invalidRequest.status))
    }

    /// The pages between were open too long.
    func staleAuthorization(to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("authorization", "stale_title", in: language),
                "explanation": texts.text("authorization", "stale", in: language),
            ], to: visitor, language: language, status: .init(code: ErrorCode.invalidRequest.status))
    }

    func scopeText(_ scope: String, _ language: String) -> String {
        let known = texts["en"]["scopes"]?[scope] != nil
        return known
            ? texts.text("scopes", scope, in: language)
            : texts.text("scopes", "other", in: language, ["scope": scope])
    }

    /// In words: a bare address tells most people nothing.
    private func destination(of request: AuthorizationRequest, _ language: String) -> String {
        switch request.redirectKind {
        case .https:
            let host = String(AnswerAddress.authority(of: request.redirectURI))
            return texts.text("consent", "to_website", in: language, ["host": host])
        case .loopback: return texts.text("consent", "to_this_device", in: language)
        case .privateUse:
            let scheme = String(request.redirectURI.prefix { $0 != ":" })
            return texts.text("consent", "to_app", in: language, ["scheme": scheme])
        }
    }
}
