import Bridge
import OAuth2

/// A held form as the page had it that it came from: the button that was pressed, and what was typed, by its labels.
struct HeldFormWords: Sendable {
    /// Labels of the fields that are not named after a setting or a member of a client.
    static let labels: [String: FormButton.Text] = [
        "username": ("console_users", "username"), "display_name": ("console_users", "shown_name"),
        "email": ("console_users", "email_address"), "role": ("console_users", "role"),
        "sub": ("console_users", "user"), "reason": ("console", "reason"),
        "client_id": ("console_clients", "client_id"), "client_type": ("console_clients", "column_type"),
        "document": ("console_clients", "json_label"),
    ]

    /// What nobody typed, and the button says or nobody has to know.
    private static let unsaid: Set<String> = ["disabled", "tag", "next"]

    private let form: HeldForm
    private let texts: PageTexts
    private let language: String
    private let button: FormButton?
    /// What the address names, from the left.
    private let names: [String]

    /// - Parameter forms: those that may wait, with what their buttons say.
    init(_ form: HeldForm, among forms: [RouteDeclaration], texts: PageTexts, language: String) {
        self.form = form
        self.texts = texts
        self.language = language
        let found = forms.lazy.compactMap { declared in
            Self.names(in: form.path, of: declared.path).map { (button: declared.button, names: $0) }
        }.first
        button = found?.button
        names = found?.names ?? []
    }

    /// What is asked for; where no page of ours asks for it, the address that it goes to.
    var action: String {
        guard let button else { return form.path }
        guard form.fields.contains(where: { $0.name == "disabled" && $0.value == "false" }) else {
            let name = names.last ?? ""
            return text(button.text, ["id": name, "key": name, "name": name])
        }
        return text(("console_user", "enable"))
    }

    /// For the template: whom it is about, then what was typed, the reason last. `is_plain` where a name has no words.
    /// A field of which the form says what it showed (``ShownFields``) is told where it was changed.
    var rows: [[String: any Sendable]] {
        var rows: [[String: any Sendable]] = []
        if let label = button?.label, let name = names.first {
            rows.append(["name": text(label), "value": name, "is_plain": false])
        }
        let said = form.fields.filter { field in
            guard !Self.unsaid.contains(field.name), !field.name.hasPrefix(ShownFields.prefix) else { return false }
            let shown = form.fields.first { $0.name == ShownFields.name(beside: field.name) }
            return shown.map { !$0.value.hasSameBytes(as: field.value) } ?? !field.value.isEmpty
        }
        for field in said.filter({ $0.name != "reason" }) + said.filter({ $0.name == "reason" }) {
            let label = label(of: field.name)
            rows.append(["name": label ?? field.name, "value": value(of: field), "is_plain": label == nil])
        }
        return rows
    }

    private func text(_ text: FormButton.Text, _ values: [String: String] = [:]) -> String {
        texts.text(text.section, text.key, in: language, values)
    }

    private func label(of name: String) -> String? {
        if let label = Self.labels[name] { return text(label) }
        if let setting = NativeSSOField(rawValue: name) { return text(("console_settings", setting.key)) }
        return texts[language]["client_fields"]?[String(name.prefix { $0 != "." })]
    }

    private func value(of field: HiddenField) -> String {
        // What was there is taken away.
        if field.value.isEmpty { return "–" }
        if NativeSSOField(rawValue: field.name) != nil {
            return NativeSSOField.word(for: field.value).map { text(("console_settings", $0)) } ?? field.value
        }
        if field.name == "role", field.value == "none" { return text(("console_users", "no_role")) }
        if field.name == "alert" { return text(("console", "alert_\(field.value)")) }
        // One of several boxes is named after its member and itself.
        guard let dot = field.name.firstIndex(of: ".") else { return field.value }
        return String(field.name[dot...].dropFirst())
    }

    /// What an address names where the route leaves it open; `nil` for the address of another route.
    private static func names(in path: String, of route: String) -> [String]? {
        let declared = route.split(separator: "/")
        let sent = path.split(separator: "/")
        guard declared.count == sent.count else { return nil }
        var names: [String] = []
        for (expected, part) in zip(declared, sent) where expected != part {
            guard expected.hasPrefix("{") else { return nil }
            names.append(PercentEncoding.decode(String(part)) ?? String(part))
        }
        return names
    }
}
