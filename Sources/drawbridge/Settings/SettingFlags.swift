/// Settings given on the command line, matched with the table of keys: a misspelt flag must stop the start.
struct SettingFlags: Sendable {
    private(set) var values: [(key: SettingKey, text: String)] = []
    private(set) var problems: [SettingError] = []

    private static let byFlag = Dictionary(uniqueKeysWithValues: SettingKey.all.map { ($0.flag, $0) })

    init(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            guard let key = Self.byFlag[flag] else {
                let hint = NearestName.hint(for: flag, among: Array(Self.byFlag.keys))
                problems.append(SettingError(flag, "is not a known option\(hint)"))
                // What follows an unknown flag is most likely its value.
                if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
                continue
            }
            guard key.kind != .objects else {
                problems.append(SettingError(flag, "can only be set in the settings file"))
                if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
                continue
            }
            if parts.count == 2 {
                values.append((key, String(parts[1])))
            } else if let next = rest.first, !next.hasPrefix("--") {
                values.append((key, next))
                rest.removeFirst()
            } else {
                problems.append(SettingError(flag, "needs a value: \(key.kind.expectation)"))
            }
        }
        // What a script's unset variable leaves there must not put the embedded database in the place of the service's.
        problems += values.filter { $0.key.kind == .database && $0.text.allSatisfy(\.isWhitespace) }.map {
            SettingError($0.key.flag, "needs a value: \($0.key.kind.expectation)")
        }
        let repeated = Dictionary(grouping: values, by: \.key).filter { $1.count > 1 && $0.kind != .list }
        problems += repeated.keys.sorted { $0.name < $1.name }.map {
            SettingError($0.flag, "is given more than once")
        }
    }

    /// A comma separates the values of a list, and is part of any other.
    var layer: RawSettings.Layer {
        let texts = Dictionary(grouping: values, by: \.key.name).mapValues { given in
            given.flatMap { $0.key.kind == .list ? $0.text.split(separator: ",").map(String.init) : [$0.text] }
        }
        return RawSettings.Layer(texts: texts) { .commandLine(flag: $0.flag) }
    }
}
