import Bridge
import OAuth2

// The kinds of settings, each with the one way to read it.

extension Setting where Value == String {
    /// A text that may not be empty.
    static func text(_ name: String, default fallback: String, _ summary: String) -> Setting {
        Setting(
            key: SettingKey(name: name, kind: .text, fallback: fallback, mayBeEmpty: false, summary: summary),
            absent: ""
        ) { $0 }
    }

    /// A path that may not be empty.
    static func path(_ name: String, default fallback: String, _ summary: String) -> Setting {
        Setting(
            key: SettingKey(name: name, kind: .path, fallback: fallback, mayBeEmpty: false, summary: summary),
            absent: ""
        ) { $0 }
    }
}

extension Setting where Value == String? {
    static func text(_ name: String, _ summary: String) -> Setting { optional(name, .text, summary) }

    /// Relative paths are meant from the settings file's folder.
    /// - Parameter isReadOnce: whether the file that it names is read at the start alone.
    static func path(_ name: String, isReadOnce: Bool = false, _ summary: String) -> Setting {
        optional(name, .path, isReadOnce: isReadOnce, summary)
    }

    /// The address of a database, which the wing parses: its errors say more, and it is never printed.
    static func database(_ name: String, _ summary: String) -> Setting { optional(name, .database, summary) }

    private static func optional(
        _ name: String, _ kind: SettingKind, isReadOnce: Bool = false, _ summary: String
    ) -> Setting {
        let key = SettingKey(name: name, kind: kind, isReadOnce: isReadOnce, summary: summary)
        return Setting(key: key, absent: nil) { .some($0.isEmpty ? nil : $0) }
    }
}

extension Setting where Value == WebOrigin? {
    static func origin(_ name: String, required: Bool = false, _ summary: String) -> Setting {
        let key = SettingKey(
            name: name, kind: .origin, isRequired: required, mayBeEmpty: !required, summary: summary)
        return Setting(key: key, absent: nil) { text in
            text.isEmpty ? .some(nil) : WebOrigin(text).map { .some($0) }
        }
    }
}

extension Setting where Value == ListenAddress {
    static func address(_ name: String, default fallback: String, _ summary: String) -> Setting {
        Setting(
            key: SettingKey(name: name, kind: .address, fallback: fallback, summary: summary),
            absent: ListenAddress(host: "127.0.0.1", port: 0)
        ) { ListenAddress($0) }
    }
}

extension Setting where Value == Bool {
    static func boolean(_ name: String, default fallback: Bool, _ summary: String) -> Setting {
        Setting(
            key: SettingKey(name: name, kind: .boolean, fallback: "\(fallback)", summary: summary), absent: fallback
        ) { ["true": true, "false": false][$0] }
    }
}

extension Setting where Value == Int {
    static func integer(
        _ name: String, _ range: ClosedRange<Int>, default fallback: Int, _ summary: String
    ) -> Setting {
        let key = SettingKey(name: name, kind: .integer(range), fallback: "\(fallback)", summary: summary)
        return Setting(key: key, absent: fallback) { text in
            guard let number = Int(text), String(number) == text, range.contains(number) else { return nil }
            return number
        }
    }
}

extension Setting where Value == Double {
    /// A part of a whole.
    static func fraction(_ name: String, default fallback: String, _ summary: String) -> Setting {
        Setting(key: SettingKey(name: name, kind: .fraction, fallback: fallback, summary: summary), absent: 0) { text in
            // As people write it: no sign, no exponent, a digit at either end.
            guard text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }), text.utf8.count <= 16,
                text.first != ".", text.last != ".", let number = Double(text), (0...1).contains(number)
            else { return nil }
            return number
        }
    }
}

extension Setting where Value == Duration {
    /// - Parameter fallback: as a file writes it, `60s`.
    static func duration(
        _ name: String, _ range: ClosedRange<Duration>, default fallback: String, _ summary: String
    ) -> Setting {
        let key = SettingKey(name: name, kind: .duration(range), fallback: fallback, summary: summary)
        return Setting(key: key, absent: range.lowerBound) { text in
            DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Setting where Value == Duration? {
    /// A duration or `off`, which is `nil` and the default.
    static func optionalDuration(_ name: String, _ range: ClosedRange<Duration>, _ summary: String) -> Setting {
        let key = SettingKey(name: name, kind: .optionalDuration(range), fallback: "off", summary: summary)
        return Setting(key: key, absent: nil) { text in
            if text == "off" { return .some(nil) }
            return DurationText.parse(text).flatMap { range.contains($0) ? .some($0) : nil }
        }
    }
}

extension Setting where Value: RawRepresentable, Value.RawValue == String {
    /// One of the words that the values are written as.
    static func choice(
        _ name: String, among values: [Value], default fallback: Value, _ summary: String
    ) -> Setting {
        let words = values.map(\.rawValue)
        let key = SettingKey(name: name, kind: .choice(words), fallback: fallback.rawValue, summary: summary)
        return Setting(key: key, absent: fallback) { words.contains($0) ? Value(rawValue: $0) : nil }
    }
}

extension Setting where Value == [String] {
    /// - Parameter fallback: with commas between several.
    static func list(
        _ name: String, default fallback: String = "", namesServers: Bool = false, _ summary: String
    ) -> Setting {
        let key = SettingKey(
            name: name, kind: .list, fallback: fallback, namesServers: namesServers, summary: summary)
        return Setting(key: key, absent: []) { text in text.split(separator: ",").map(String.init) }
    }
}

extension Setting where Value == Void {
    /// Objects that only the file can hold; the wing parses them.
    /// - Parameter fieldsReadOnce: fields of theirs that name files which are read at the start alone.
    static func objects(_ name: String, fieldsReadOnce: [String] = [], _ summary: String) -> Setting {
        let key = SettingKey(name: name, kind: .objects, fieldsReadOnce: fieldsReadOnce, summary: summary)
        return Setting(key: key, absent: ()) { _ in nil }
    }
}
