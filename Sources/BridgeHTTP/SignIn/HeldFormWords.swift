import Bridge
import OAuth2

/// A held form as the page had it that it came from: the button that was pressed, and what was typed, by its labels.
struct HeldFormWords: Sendable {
    typealias Text = (section: String, key: String)

    /// What a form's button says.
    struct Button: Sendable {
        /// As it is declared.
        let route: String
        /// May name what the end of the address does, as `{id}`, `{key}` or `{name}`.
        let text: Text
        /// The label of what the address names, where the button does not say it.
        var label: Text?
    }

    static let buttons: [Button] = {
        let user: Text = ("console_users", "user")
        let client: Text = ("console_clients", "client_id")
        return [
            Button(route: "/admin/users/{id}/standing", text: ("console_user", "disable"), label: user),
            Button(route: "/admin/users/{id}/end-sessions", text: ("console_user", "end_all"), label: user),
            Button(route: "/admin/users/{id}/names", text: ("console_user", "rename"), label: user),
            Button(route: "/admin/users/{id}/role", text: ("console_users", "role"), label: user),
            Button(route: "/admin/users/{id}/set-up-link", text: ("console_user", "make_link"), label: user),
            Button(route: "/admin/users/{id}/second-factor", text: ("console_user", "reset_factor"), label: user),
            Button(
                route: "/admin/users/{id}/phone-keys/{thumbprint}", text: ("console_user", "unlink_label"),
                label: user),
            Button(
                route: "/admin/users/{id}/passkeys/{passkey}", text: ("console_user", "passkey_label"), label: user),
            Button(
                route: "/admin/users/{id}/consents/{client_id}", text: ("console_user", "withdraw_label"),
                label: user),
            Button(route: "/admin/new-user", text: ("console_users", "add")),
            Button(route: "/admin/sessions/{id}/end", text: ("console_user", "end_label")),
            Button(route: "/admin/device-secrets/{id}/revoke", text: ("console_user", "revoke_label")),
            Button(route: "/admin/clients", text: ("console_clients", "register")),
            Button(route: "/admin/clients/{id}", text: ("console_clients", "apply"), label: client),
            Button(route: "/admin/clients/{id}/delete", text: ("console_clients", "delete"), label: client),
            Button(route: "/admin/clients/{id}/secret", text: ("console_clients", "renew_secret"), label: client),
            Button(route: "/admin/keys/rotate", text: ("console_keys", "rotate_now")),
            Button(
                route: "/admin/keys/{kid}/retire", text: ("console_keys", "retire_now"),
                label: ("console_keys", "key")),
            Button(route: "/admin/settings/native-sso", text: ("console_settings", "native_sso_title")),
            Button(route: "/admin/settings/native-sso/reset", text: ("console_settings", "reset_title")),
            Button(route: "/admin/alerts/acknowledge", text: ("console", "alert_seen")),
        ]
    }()

    /// Labels of the fields that are not named after a setting or a member of a client.
    static let labels: [String: Text] = [
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
    private let button: Button?
    /// What the address names, from the left.
    private let names: [String]

    init(_ form: HeldForm, texts: PageTexts, language: String) {
        self.form = form
        self.texts = texts
        self.language = language
        let found = Self.buttons.compactMap { button in
            Self.names(in: form.path, of: button.route).map { (button: button, names: $0) }
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
    var rows: [[String: any Sendable]] {
        var rows: [[String: any Sendable]] = []
        if let label = button?.label, let name = names.first {
            rows.append(["name": text(label), "value": name, "is_plain": false])
        }
        let said = form.fields.filter { !Self.unsaid.contains($0.name) }
        for field in said.filter({ $0.name != "reason" }) + said.filter({ $0.name == "reason" }) {
            let label = label(of: field.name)
            rows.append(["name": label ?? field.name, "value": value(of: field), "is_plain": label == nil])
        }
        return rows
    }

    private func text(_ text: Text, _ values: [String: String] = [:]) -> String {
        texts.text(text.section, text.key, in: language, values)
    }

    private func label(of name: String) -> String? {
        if let label = Self.labels[name] { return text(label) }
        if let setting = NativeSSOField(rawValue: name) { return text(("console_settings", setting.key)) }
        return texts[language]["client_fields"]?[String(name.prefix { $0 != "." })]
    }

    private func value(of field: HiddenField) -> String {
        if NativeSSOField(rawValue: field.name) != nil {
            switch field.value {
            case "true": return text(("console_settings", "on"))
            case "false": return text(("console_settings", "off"))
            case "revoke_oldest", "reject": return text(("console_settings", field.value))
            default: return field.value
            }
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
