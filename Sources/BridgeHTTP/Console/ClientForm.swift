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
        let label: String
        let help: String
        let input: Input
        /// Types of client that have it.
        var kinds: Set<Client.Kind> = Set(Client.Kind.allCases)
    }

    struct Group: Sendable {
        let title: String
        let fields: [Field]
    }

    static let groups: [Group] = [
        Group(
            title: "Who it is",
            fields: [
                Field(name: "client_name", label: "Name", help: "What people read on pages.", input: .text),
                Field(
                    name: "first_party", label: "Ours", help: "People are not asked to allow what it does.",
                    input: .flag(isDefault: false)),
                Field(
                    name: "token_endpoint_auth_method", label: "How it shows who it is",
                    help: "A secret is made and shown once. none: a public client, such as an app.",
                    input: .choice(ClientAuthenticationMethod.allCases.map(\.rawValue))),
            ]),
        Group(
            title: "Where a login token lands",
            fields: [
                Field(
                    name: "public_origin", label: "Public origin",
                    help: "Where browsers see the website, such as https://www.example.com.", input: .text,
                    kinds: [.web]),
                Field(
                    name: "return_paths", label: "Return paths",
                    help: "Paths that a link may land on, one a line: /a/b exactly, /a/* with all below it.",
                    input: .lines, kinds: [.web]),
                Field(
                    name: "default_return_path", label: "Default path",
                    help: "Where it lands when nothing else is said.",
                    input: .text, kinds: [.web]),
                Field(
                    name: "initiate_login_uri", label: "Sign-in address of the relying party",
                    help: "Its own address that begins an OpenID sign-in (initiate_login_uri).", input: .text,
                    kinds: [.web]),
                Field(
                    name: "landing", label: "Landing",
                    help: "return_path: on the path itself. initiate_login: by way of the relying party's sign-in.",
                    input: .choice(Client.LandingMode.allCases.map(\.rawValue)), kinds: [.web]),
                Field(
                    name: "redeem", label: "Redeem", help: "confirm always asks for a click.",
                    input: .choice(Client.RedeemMode.allCases.map(\.rawValue)), kinds: [.web]),
                Field(
                    name: "on_replay", label: "When a token comes twice",
                    help: "end_session ends what its first use opened; alert only says so.",
                    input: .choice(Client.ReplayResponse.allCases.map(\.rawValue)), kinds: [.web]),
                Field(
                    name: "portal", label: "Portal", help: "Its sessions may open the websites in “May open”.",
                    input: .flag(isDefault: false), kinds: [.web]),
            ]),
        Group(
            title: "How its pages look",
            fields: [
                Field(
                    name: "theme_name", label: "Name at the top", help: "Instead of the service's own name.",
                    input: .text, kinds: [.web]),
                Field(
                    name: "theme_logo", label: "Picture at the top",
                    help: "The name of a file in the assets of the public folder, such as shop.svg.", input: .text,
                    kinds: [.web]),
                Field(
                    name: "theme_accent", label: "Colour in light pages",
                    help: "Of links and buttons, such as #2450c8. It must be readable.", input: .text, kinds: [.web]),
                Field(
                    name: "theme_accent_dark", label: "Colour in dark pages", help: "Such as #8fb0ff; both or none.",
                    input: .text, kinds: [.web]),
            ]),
        Group(
            title: "What it may do",
            fields: [
                Field(
                    name: "can_issue_login_tokens", label: "Opens websites",
                    help: "It may ask for login tokens.", input: .flag(isDefault: false)),
                Field(
                    name: "may_reach", label: "May open", help: "Client ids of websites, one a line.", input: .lines),
                Field(
                    name: "native_sso_enabled", label: "Native SSO", help: "It gets device secrets and uses them.",
                    input: .flag(isDefault: false)),
                Field(
                    name: "share_with", label: "Shares with",
                    help: "Client ids of apps that its device secret may sign in, one a line.", input: .lines),
                Field(
                    name: "grant_types", label: "Grant types", help: "What it may send to the token endpoint.",
                    input: .some(GrantType.allCases.map(\.rawValue))),
                Field(
                    name: "scope", label: "Scope", help: "Words with single spaces between them.", input: .text),
            ]),
        Group(
            title: "OpenID Connect",
            fields: [
                Field(
                    name: "redirect_uris", label: "Redirect addresses", help: "Exact ones, one a line.",
                    input: .lines),
                Field(
                    name: "post_logout_redirect_uris", label: "Addresses after signing out",
                    help: "Exact ones, one a line.", input: .lines),
                Field(
                    name: "backchannel_logout_uri", label: "Back-channel logout",
                    help: "Where it is told that a session ended.", input: .text),
                Field(
                    name: "require_pkce", label: "PKCE", help: "Off for old relying parties that cannot do it.",
                    input: .flag(isDefault: true)),
                Field(
                    name: "id_token_signed_response_alg", label: "Signature of ID tokens",
                    help: "ES256 unless it knows no other.", input: .choice(["ES256", "RS256", "EdDSA"])),
            ]),
        Group(
            title: "Cookies and lives",
            fields: [
                Field(
                    name: "cookie_profile", label: "Cookies",
                    help: "session: one opaque cookie. tokens: an access token, a refresh token and their helpers.",
                    input: .choice(Client.CookieProfile.allCases.map(\.rawValue))),
                Field(
                    name: "cookie_prefix", label: "Prefix of cookies", help: "For the profile tokens, such as vagov_.",
                    input: .text),
                Field(
                    name: "cookie_domain", label: "Domain of cookies", help: "Only where subdomains share them.",
                    input: .text),
                Field(
                    name: "session_lifetime", label: "Life of a session", help: "Seconds, at most.",
                    input: .number),
                Field(
                    name: "session_idle", label: "Idle time of a session", help: "Seconds without use.",
                    input: .number),
                Field(
                    name: "access_token_lifetime", label: "Life of an access token", help: "Seconds.", input: .number),
            ]),
    ]

    /// Everything that such a form may send besides the form's own fields.
    private static func fields(of kind: Client.Kind) -> [Field] {
        groups.flatMap(\.fields).filter { $0.kinds.contains(kind) }
    }

    /// The document that a form makes of the one it was made from.
    static func members(
        _ sent: FormParameters, over members: [String: JSONValue], kind: Client.Kind
    ) throws -> [String: JSONValue] {
        var members = members
        members["client_type"] = .string(kind.rawValue)
        for field in fields(of: kind) {
            let text = (sent[field.name] ?? "").trimmingSpace
            switch field.input {
            case .text: members[field.name] = text.isEmpty ? nil : .string(text)
            case .number: members[field.name] = text.isEmpty ? nil : .number(try number(text, field))
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

    private static func number(_ text: String, _ field: Field) throws -> String {
        guard text.utf8.count <= 10, text.utf8.allSatisfy(ASCII.isDigit) else {
            throw OAuthError(.invalidRequest, "\(field.name) must be a whole number")
        }
        return text
    }

    /// For the template.
    /// - Parameter problem: what was refused; a field that it names is marked.
    static func values(
        _ members: [String: JSONValue], kind: Client.Kind, problem: String?
    ) -> [[String: any Sendable]] {
        groups.compactMap { group in
            let fields = group.fields.filter { $0.kinds.contains(kind) }
            guard !fields.isEmpty else { return nil }
            return ["title": group.title, "fields": fields.map { value(of: $0, in: members, problem) }]
        }
    }

    private static func value(
        of field: Field, in members: [String: JSONValue], _ problem: String?
    ) -> [String: any Sendable] {
        let now = members[field.name]
        var row: [String: any Sendable] = [
            "name": field.name, "label": field.label, "help": field.help,
            "is_wrong": problem?.contains(field.name) ?? false,
        ]
        switch field.input {
        case .text: row["is_text"] = ["value": now?.string ?? ""]
        case .number: row["is_number"] = ["value": now?.integer.map(String.init) ?? ""]
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
