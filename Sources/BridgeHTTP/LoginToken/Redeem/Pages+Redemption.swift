import Bridge
import Hummingbird

extension Pages {
    /// The page between the link and the signed-in browser; its form redeems (contract §4.2).
    /// - Parameter stay: the user who is signed in already and where that leads; `nil` where a link is what brings on.
    func confirm(
        action: String, fields: [HiddenField], submitsItself: Bool, code: CodePrompt,
        stay: (name: String, url: String)? = nil, to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "action": action, "fields": fields.map(\.values), "submits_itself": submitsItself,
            "has_token": fields.contains { $0.name == "token" }, "asks_code": code != .none,
            "code_was_wrong": code == .wrong, "code_was_incomplete": code == .incomplete,
            "is_error": code == .wrong || code == .incomplete,
        ]
        values["stay"] = stay.map { stay in
            ["url": stay.url, "label": texts.text("switch", "keep", in: language, ["subject": stay.name])]
        }
        return render("confirm", values, to: visitor, language: language, policy: .leadingOut)
    }

    /// "Signed in as A, continue as B?"; keeping A is the first choice and changes nothing.
    /// - Parameter provider: who says that it is B; `nil` where a link does.
    func switchAccount(
        current: Person, proposed: Person, by provider: String? = nil, home: String, action: String,
        fields: [HiddenField], to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        func byProvider(_ key: String, else keyOfLinks: String) -> String {
            guard let provider else { return texts.text("switch", keyOfLinks, in: language) }
            return texts.text("switch", key, in: language, ["provider": provider])
        }
        return render(
            "switch",
            [
                "current": current.values, "proposed": proposed.values, "home": home, "action": action,
                "fields": fields.map(\.values),
                "proposed_label": byProvider("provider_names", else: "link_is_for"),
                "explanation": byProvider("provider_explanation", else: "explanation"),
                "cost": texts.text("switch", "cost", in: language, ["subject": current.name]),
                "keep_label": texts.text("switch", "keep", in: language, ["subject": current.name]),
                "switch_label": texts.text("switch", "continue", in: language, ["subject": proposed.name]),
            ], to: visitor, language: language, policy: .leadingOut)
    }
}
