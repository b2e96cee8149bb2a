import Bridge
import OAuth2

/// A client's document as a form: its type first, then a field for each member that people set by hand, with its help.
/// What the form does not show stays as it is; the JSON beside it shows everything.
struct ClientForm: Sendable {
    enum Input: Sendable {
        case text, number
        /// One entry a line.
        case lines
        /// - Parameter isDefault: what holds when the document says nothing.
        case flag(isDefault: Bool)
        /// The first stands for the default.
        case choice([String])
        /// Any number of them.
        case some([String])
    }

    struct Field: Sendable {
        let name: String
        let input: Input
        /// Types of client that have it.
        var kinds: Set<Client.Kind> = Set(Client.Kind.allCases)
    }

    struct Group: Sendable {
        /// The key of its title in the catalogue.
        let key: String
        let fields: [Field]
    }

    static let groups: [Group] = [
        Group(
            key: "identity",
            fields: [
                Field(name: "client_name", input: .text),
                Field(name: "first_party", input: .flag(isDefault: false)),
                Field(
                    name: "token_endpoint_auth_method",
                    input: .choice(ClientAuthenticationMethod.allCases.map(\.rawValue))),
            ]),
        Group(
            key: "landing",
            fields: [
                Field(name: "public_origin", input: .text, kinds: [.web]),
                Field(name: "return_paths", input: .lines, kinds: [.web]),
                Field(name: "default_return_path", input: .text, kinds: [.web]),
                Field(name: "redemption_page", input: .text, kinds: [.web]),
                Field(name: "initiate_login_uri", input: .text, kinds: [.web]),
                Field(name: "landing", input: .choice(Client.LandingMode.allCases.map(\.rawValue)), kinds: [.web]),
                Field(name: "redeem", input: .choice(Client.RedeemMode.allCases.map(\.rawValue)), kinds: [.web]),
                Field(name: "on_replay", input: .choice(Client.ReplayResponse.allCases.map(\.rawValue)), kinds: [.web]),
                Field(name: "portal", input: .flag(isDefault: false), kinds: [.web]),
            ]),
        Group(
            key: "looks",
            fields: [
                Field(name: "theme_name", input: .text, kinds: [.web]),
                Field(name: "theme_logo", input: .text, kinds: [.web]),
                Field(name: "theme_accent", input: .text, kinds: [.web]),
                Field(name: "theme_accent_dark", input: .text, kinds: [.web]),
            ]),
        Group(
            key: "rights",
            fields: [
                Field(name: "can_issue_login_tokens", input: .flag(isDefault: false)),
                Field(name: "may_reach", input: .lines),
                Field(name: "native_sso_enabled", input: .flag(isDefault: false)),
                Field(name: "share_with", input: .lines),
                Field(name: "grant_types", input: .some(GrantType.allCases.map(\.rawValue))),
                Field(name: "scope", input: .text),
            ]),
        Group(
            key: "openid",
            fields: [
                Field(name: "redirect_uris", input: .lines),
                Field(name: "post_logout_redirect_uris", input: .lines),
                Field(name: "backchannel_logout_uri", input: .text),
                Field(name: "require_pkce", input: .flag(isDefault: true)),
                Field(name: "id_token_signed_response_alg", input: .choice(SigningAlgorithm.allCases.map(\.rawValue))),
            ]),
        Group(
            key: "cookies",
            fields: [
                Field(name: "cookie_profile", input: .choice(Client.CookieProfile.allCases.map(\.rawValue))),
                Field(name: "cookie_prefix", input: .text),
                Field(name: "cookie_domain", input: .text),
                Field(name: "session_lifetime", input: .number),
                Field(name: "session_idle", input: .number),
                Field(name: "access_token_lifetime", input: .number),
                Field(
                    name: "access_token_signed_response_alg",
                    input: .choice(SigningAlgorithm.allCases.map(\.rawValue))),
            ]),
    ]

    /// The fields that a client of this kind has.
    private static func fields(of kind: Client.Kind) -> [Field] {
        groups.flatMap(\.fields).filter { $0.kinds.contains(kind) }
    }

    /// Whether the form of such a client has this field.
    static func shows(_ name: String, of kind: Client.Kind) -> Bool { fields(of: kind).contains { $0.name == name } }

    /// The document that a form makes of the one it was made from. What is not a number stays as it was typed, and is
    /// named with whatever else is wrong where the document is read.
    static func members(
        _ sent: FormParameters, over members: [String: JSONValue], kind: Client.Kind
    ) -> [String: JSONValue] {
        var members = members
        members["client_type"] = .string(kind.rawValue)
        for field in fields(of: kind) {
            let text = (sent[field.name] ?? "").trimmingSpace
            switch field.input {
            case .text: members[field.name] = text.isEmpty ? nil : .string(text)
            case .number:
                members[field.name] = text.isEmpty ? nil : isNumber(text) ? .number(text) : .string(text)
            case .lines:
                let lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpace }
                    .filter { !$0.isEmpty }
                members[field.name] = lines.isEmpty ? nil : .array(lines.map(JSONValue.string))
            case .choice(let words):
                members[field.name] = text == words.first && members[field.name] == nil ? nil : .string(text)
            case .flag(let isDefault):
                let isOn = sent[field.name] != nil
                members[field.name] = isOn == isDefault && members[field.name] == nil ? nil : .bool(isOn)
            case .some(let words):
                let chosen = words.filter { sent["\(field.name).\($0)"] != nil }
                members[field.name] =
                    chosen.isEmpty && members[field.name] == nil ? nil : .array(chosen.map(JSONValue.string))
            }
        }
        return members
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.count <= 10 && text.utf8.allSatisfy(ASCII.isDigit)
    }

    /// What the template fills in.
    /// - Parameters:
    ///   - isNew: whether there is no such client yet: the form says what it needs.
    ///   - fault: what was refused; a field that it names is marked, with what is wrong with it where that is known, and
    ///     the first one has the cursor.
    static func values(
        _ members: [String: JSONValue], kind: Client.Kind, isNew: Bool, fault: ConsoleFault?, _ words: ConsoleWords
    ) -> [[String: any Sendable]] {
        let focused = fields(of: kind).first { fault?.names($0.name) ?? false }?.name
        return groups.compactMap { group in
            let fields = group.fields.filter { $0.kinds.contains(kind) }
            guard !fields.isEmpty else { return nil }
            return [
                "title": words("console_clients", "group_\(group.key)"),
                "fields": fields.map { field in
                    var row = value(of: field, in: members, fault, hasFocus: field.name == focused, words)
                    if isNew, field.name == "client_name" { row["needed"] = words("console_clients", "name_needed") }
                    return row
                },
            ]
        }
    }

    private static func value(
        of field: Field, in members: [String: JSONValue], _ fault: ConsoleFault?, hasFocus: Bool, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        let now = members[field.name]
        var row: [String: any Sendable] = [
            "name": field.name, "label": words("client_fields", field.name),
            "help": words("client_fields", "\(field.name)_help"), "is_wrong": fault?.names(field.name) ?? false,
            "has_focus": hasFocus,
        ]
        row["own_problem"] = fault?.problem(of: field.name)
        switch field.input {
        case .text: row["is_text"] = ["value": now?.string ?? ""]
        case .number: row["is_number"] = ["value": now?.integer.map(String.init) ?? now?.string ?? ""]
        case .lines:
            row["is_lines"] = ["value": (now?.array ?? []).compactMap(\.string).joined(separator: "\n")]
        case .flag(let isDefault): row["is_flag"] = ["is_on": now?.bool ?? isDefault]
        case .choice(let words):
            let chosen = now?.string ?? words.first
            row["is_choice"] = [
                "words": words.map { ["word": $0, "is_chosen": $0 == chosen] as [String: any Sendable] }
            ]
        case .some(let words):
            let chosen = Set((now?.array ?? []).compactMap(\.string))
            row["is_some"] = [
                "words": words.map { word -> [String: any Sendable] in
                    [
                        "word": word, "shown": word.split(separator: ":").last.map(String.init) ?? word,
                        "is_chosen": chosen.contains(word),
                    ]
                }
            ]
        }
        return row
    }
}

extension String {
    fileprivate var trimmingSpace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
