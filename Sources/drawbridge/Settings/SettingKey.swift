/// One setting: all that the strict check, `check-config` and the documentation say about it.
struct SettingKey: Hashable, Sendable {
    /// The name in the settings file, with dots for nesting.
    let name: String
    let kind: SettingKind
    /// What holds when nobody sets it, as a file would write it; `nil` when there is nothing then.
    let fallback: String?
    let isRequired: Bool
    let summary: String

    init(
        _ name: String, _ kind: SettingKind, default fallback: String? = nil, required: Bool = false, _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        isRequired = required
        self.summary = summary
    }

    var components: [String] { name.split(separator: ".").map(String.init) }

    /// `login_token.lifetime` is `DRAWBRIDGE_LOGIN_TOKEN_LIFETIME` in the environment.
    var environmentName: String {
        Self.environmentPrefix + name.map { $0 == "." ? "_" : $0.uppercased() }.joined()
    }

    /// `login_token.lifetime` is `--login-token-lifetime` on the command line.
    var flag: String { "--" + name.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined() }

    static let environmentPrefix = "DRAWBRIDGE_"
}

/// What a setting's text must be.
enum SettingKind: Hashable, Sendable {
    case text
    case path
    /// A database address; may hold a password, so it is never printed.
    case database
    case origin
    case address
    case boolean
    case duration(ClosedRange<Duration>)
    /// A duration, or `off`.
    case optionalDuration(ClosedRange<Duration>)
    case integer(ClosedRange<Int>)
    case choice([String])
    /// Several texts: a list in the file, commas elsewhere.
    case list
    /// A list of objects; only the file can hold it.
    case objects

    /// For people: what to write.
    var expectation: String {
        switch self {
        case .text: "a text"
        case .path: "a path"
        case .database: "a postgres:// URL"
        case .origin: "an origin such as https://www.example.com, without a path or a trailing slash"
        case .address: "an address and a port, such as 127.0.0.1:8080 or [::1]:8080"
        case .boolean: "true or false"
        case .duration(let range): "a duration from \(Self.describe(range)), such as 250ms, 60s, 30m, 12h or 7d"
        case .optionalDuration(let range): "off, or a duration from \(Self.describe(range)), such as 400d"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .list: "a list of texts"
        case .objects: "a list of objects in the settings file"
        }
    }

    private static func describe(_ range: ClosedRange<Duration>) -> String {
        "\(DurationText.describe(range.lowerBound)) to \(DurationText.describe(range.upperBound))"
    }
}
