import Bridge

/// One setting: the one place that says its name, what it may be, what holds without it and what it is for.
///
/// A wing's settings struct declares its settings as static properties and takes their values as it reads itself; the
/// table of all settings, the flags, the variables' names and what `check-config` prints follow from that reading.
struct Setting<Value: Sendable>: Sendable {
    let key: SettingKey
    /// What holds where neither the sources nor a default have a value.
    let absent: Value
    /// - Returns: `nil` for a text that the setting may not be.
    let parse: @Sendable (_ text: String) -> Value?
}

/// What the strict check, `check-config` and the documentation say about a setting, whatever its type.
struct SettingKey: Hashable, Sendable {
    /// The name in the settings file, with dots for nesting.
    let name: String
    let kind: SettingKind
    /// What holds when nobody sets it, as a file would write it; `nil` when there is nothing then.
    var fallback: String?
    /// Whether somebody has to set it.
    var isRequired = false
    /// Whether it may be set to nothing.
    var mayBeEmpty = true
    /// Whether a list names servers that are used, not what is allowed or published.
    var namesServers = false
    /// Whether the file that a path names is read at the start alone.
    var isReadOnce = false
    /// Which fields of listed objects name such files.
    var fieldsReadOnce: [String] = []
    let summary: String

    var components: [String] { name.split(separator: ".").map(String.init) }

    /// `login_token.lifetime` is `DRAWBRIDGE_LOGIN_TOKEN_LIFETIME` in the environment.
    var environmentName: String {
        Self.environmentPrefix + name.map { $0 == "." ? "_" : $0.uppercased() }.joined()
    }

    /// `login_token.lifetime` is `--login-token-lifetime` on the command line.
    var flag: String { "--" + name.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined() }

    /// Whether an empty variable or secret file is none: otherwise one that nobody filled in would hide the database
    /// that the settings file names, and the service would begin one of its own. An empty list of what is allowed is
    /// a statement.
    var isUnsetWhenEmpty: Bool {
        switch kind {
        case .text, .path, .database, .origin: fallback == nil && mayBeEmpty
        case .list: namesServers
        case .address, .boolean, .duration, .optionalDuration, .integer, .fraction, .choice, .objects: false
        }
    }

    static let environmentPrefix = "DRAWBRIDGE_"

    /// Every setting there is, in the order of the wings: what they ask for when nothing is set.
    ///
    /// A key that is not here is refused; `Config/drawbridge.example.yaml` shows all of them.
    static let all: [SettingKey] = {
        let reader = SettingsReader(RawSettings())
        _ = DrawbridgeSettings(reading: reader)
        return reader.declared
    }()

    /// Whether settings have names that begin with this one and a dot.
    static func isGroup(_ name: String) -> Bool { all.contains { $0.name.hasPrefix("\(name).") } }

    /// A test sees to it that no name is declared twice.
    static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
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
    /// A number from 0 to 1.
    case fraction
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
        case .fraction: "a number from 0 to 1, such as 0.01"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .list: "a list of texts"
        case .objects: "a list of objects in the settings file"
        }
    }

    /// For people: what to write in place of a text that the setting may not be.
    func expectation(insteadOf text: String) -> String {
        guard case .origin = self else { return expectation }
        return WebOrigin.respelling(of: text) ?? expectation
    }

    private static func describe(_ range: ClosedRange<Duration>) -> String {
        "\(DurationText.describe(range.lowerBound)) to \(DurationText.describe(range.upperBound))"
    }
}
