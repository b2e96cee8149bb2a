import Bridge
import Foundation
import Logging

/// Turns texts into values and notes every problem on the way; nothing malformed becomes its default silently.
struct SettingsResolver {
    let raw: RawSettings
    private(set) var problems: [SettingProblem]

    init(_ raw: RawSettings) {
        self.raw = raw
        problems = raw.problems
    }

    mutating func note(_ problem: SettingProblem) { problems.append(problem) }

    func source(of key: SettingKey) -> SettingSource { raw.values[key.name]?.source ?? .fallback }

    /// The text in force: what was set, or the default.
    func text(_ key: SettingKey) -> String? { raw.values[key.name]?.text ?? key.fallback }

    mutating func requiredText(_ key: SettingKey) -> String {
        let text = text(key) ?? ""
        if text.isEmpty { note(SettingProblem(key, at: source(of: key), "is required: \(key.kind.expectation)")) }
        return text
    }

    func optionalText(_ key: SettingKey) -> String? { text(key).flatMap { $0.isEmpty ? nil : $0 } }

    func list(_ key: SettingKey) -> [String] {
        if let value = raw.values[key.name] { return value.texts }
        return (key.fallback ?? "").split(separator: ",").map(String.init)
    }

    /// A path, made absolute.
    func path(_ key: SettingKey) -> String? { optionalText(key).map(absolute) }

    func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : "\(raw.baseDirectory)/\(path)"
        return (whole as NSString).standardizingPath
    }

    /// Parses the text in force, or notes what it should have been and goes on with the default.
    mutating func value<Value>(_ key: SettingKey, or substitute: Value, _ parse: (String) -> Value?) -> Value {
        guard let set = raw.values[key.name] else { return key.fallback.flatMap(parse) ?? substitute }
        if let value = parse(set.text) { return value }
        note(SettingProblem(key, value: set.text, at: set.source, "must be \(key.kind.expectation)"))
        return key.fallback.flatMap(parse) ?? substitute
    }

    mutating func duration(_ key: SettingKey) -> Duration {
        value(key, or: .zero) { text in
            guard let duration = DurationText.parse(text) else { return nil }
            if case .duration(let range) = key.kind, !range.contains(duration) { return nil }
            return duration
        }
    }

    /// - Returns: `nil` for `off`.
    mutating func optionalDuration(_ key: SettingKey) -> Duration? {
        value(key, or: nil) { text -> Duration?? in
            if text == "off" { return .some(nil) }
            guard let duration = DurationText.parse(text) else { return nil }
            if case .optionalDuration(let range) = key.kind, !range.contains(duration) { return nil }
            return duration
        }
    }

    mutating func integer(_ key: SettingKey) -> Int {
        value(key, or: 0) { text in
            guard let number = Int(text), String(number) == text else { return nil }
            if case .integer(let range) = key.kind, !range.contains(number) { return nil }
            return number
        }
    }

    mutating func boolean(_ key: SettingKey) -> Bool {
        value(key, or: false) { ["true": true, "false": false][$0] }
    }

    mutating func address(_ key: SettingKey) -> ListenAddress {
        value(key, or: ListenAddress(host: "127.0.0.1", port: 0), ListenAddress.init)
    }

    mutating func choice(_ key: SettingKey) -> String {
        value(key, or: "") { text in
            if case .choice(let words) = key.kind, !words.contains(text) { return nil }
            return text
        }
    }

    mutating func logLevel() -> Logger.Level { Logger.Level(rawValue: choice(.logLevel)) ?? .info }

    /// Every element of a list must parse; those that do not are noted one by one.
    mutating func elements<Element>(
        _ key: SettingKey, expecting expectation: String, _ parse: (String) -> Element?
    ) -> [Element] {
        list(key).compactMap { text in
            if let element = parse(text) { return element }
            note(SettingProblem(key, value: text, at: source(of: key), "must be \(expectation)"))
            return nil
        }
    }
}
