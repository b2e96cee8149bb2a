import Bridge
import Hummingbird
import OAuth2

/// What the page of consents says above its list.
enum ConsentsNotice: String, PageNotice {
    case withdrawn
    /// The page was open for too long, so that its form took nothing back.
    case stale

    /// The text's key in the section `consents`.
    var key: String { rawValue }
    var code: ErrorCode? { self == .stale ? .invalidRequest : nil }
}

/// The content of the page of consents.
struct ConsentsPage: Sendable {
    let consents: [Consent]
    /// Whether the person signed in here; any other session is shown nothing.
    let isOwn: Bool
    /// Whether there is an account here to sign in to.
    let hasAccount: Bool
    let notice: ConsentsNotice?
    let formToken: String
}

extension Pages {
    /// Who somebody is, what is known of them, how to reach them, and then what may be done in their name.
    private static let scopeOrder = [
        "openid", "profile", "email", "address", "phone", "groups", "offline_access", "device_sso", "admin",
    ]

    /// What was agreed to, as people would tell it; what only the website knows comes last.
    private static func inOrder(_ scopes: Set<String>) -> [String] {
        scopeOrder.filter(scopes.contains) + scopes.subtracting(scopeOrder).sorted()
    }

    func consents(_ page: ConsentsPage, clientName: (ClientID) -> String, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let rows: [[String: any Sendable]] = page.consents.enumerated().map { number, consent in
            let name = clientName(consent.clientID)
            return [
                "number": String(number), "id": consent.clientID.rawValue, "name": name,
                "scopes": Self.inOrder(consent.scopes).map { scopeText($0, language) },
                "agreed": Self.clock(consent.agreedAt),
                "withdraw_label": texts.text("consents", "withdraw_label", in: language, ["name": name]),
            ]
        }
        var values: [String: any Sendable] = [
            "consents": rows, "is_empty": rows.isEmpty, "is_own": page.isOwn, "has_account": page.hasAccount,
            "sign_in_again": SignInController.path(backTo: ConsentsController.path), "form_token": page.formToken,
        ]
        values["notice"] = text(of: page.notice, in: "consents", language)
        return render("consents", values, notice: page.notice, to: visitor, language: language)
    }
}
