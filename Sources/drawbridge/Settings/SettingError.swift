/// Why the settings are not accepted: which key, what its value is, and what to do.
struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    let key: String
    /// What was found, when it is not a secret and there is something.
    let value: String?
    /// Where it was found.
    let source: SettingSource?
    /// What is wrong and what to do, as a sentence without a full stop.
    let message: String

    init(_ key: String, value: String? = nil, at source: SettingSource? = nil, _ message: String) {
        self.key = key
        self.value = value
        self.source = source
        self.message = message
    }

    init(_ key: SettingKey, value: String? = nil, at source: SettingSource? = nil, _ message: String) {
        self.init(key.name, value: value, at: source, message)
    }

    init<Value>(
        _ setting: Setting<Value>, value: String? = nil, at source: SettingSource? = nil, _ message: String
    ) {
        self.init(setting.key, value: value, at: source, message)
    }

    var description: String {
        var text = key
        if let value { text += " = \"\(value)\"" }
        if let source { text += " (\(source))" }
        return "\(text): \(message)"
    }
}

/// Every problem of the settings, at once.
struct SettingsRefused: Error, CustomStringConvertible {
    let problems: [SettingError]

    var description: String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return (["The settings are not accepted (\(count)):"] + problems.map { "  - \($0)" }).joined(separator: "\n")
    }
}

/// Where a value came from; the first in this order that has one wins.
enum SettingSource: Hashable, Sendable, CustomStringConvertible {
    case commandLine(flag: String)
    case environment(name: String)
    case secretFile(name: String)
    case file(line: Int)
    case fallback

    var description: String {
        switch self {
        case .commandLine(let flag): "command line \(flag)"
        case .environment(let name): "environment \(name)"
        case .secretFile(let name): "secret file \(name)"
        case .file(let line): line > 0 ? "settings file, line \(line)" : "settings file"
        case .fallback: "default"
        }
    }
}
