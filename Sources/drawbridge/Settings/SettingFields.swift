import Yams

/// The fields of one object in the settings file; unknown and malformed ones are noted with their line.
struct SettingFields {
    let path: String
    private let mark: Mark?
    private let nodes: [String: Node]
    private var asked: Set<String> = []
    private(set) var problems: [SettingError] = []

    init(_ node: Node, path: String) {
        self.path = path
        mark = node.mark
        var nodes: [String: Node] = [:]
        if case .mapping(let mapping) = node {
            for (key, value) in mapping { nodes[key.scalar?.string ?? ""] = value }
        } else {
            problems.append(SettingError(path, at: .file(line: node.mark?.line ?? 0), "must be an object"))
        }
        self.nodes = nodes
    }

    mutating func text(_ name: String) -> String? {
        asked.insert(name)
        guard let node = nodes[name] else { return nil }
        guard let text = node.scalar?.string, !text.isEmpty else {
            note(name, "must be a text")
            return nil
        }
        return text
    }

    mutating func requiredText(_ name: String) -> String? {
        asked.insert(name)
        if nodes[name] == nil { note(name, "is required") }
        return text(name)
    }

    mutating func list(_ name: String) -> [String]? {
        asked.insert(name)
        switch nodes[name] {
        case nil: return nil
        case .scalar(let scalar)?: return [scalar.string]
        case .sequence(let sequence)?:
            let texts = sequence.compactMap { $0.scalar?.string }
            if texts.count != sequence.count || texts.isEmpty { note(name, "must be a list of texts") }
            return texts
        default:
            note(name, "must be a list of texts")
            return nil
        }
    }

    mutating func boolean(_ name: String) -> Bool? {
        guard let text = text(name) else { return nil }
        guard let value = ["true": true, "false": false][text] else {
            note(name, value: text, "must be true or false")
            return nil
        }
        return value
    }

    mutating func duration(
        _ name: String, in range: ClosedRange<Duration>, expecting expectation: String
    ) -> Duration? {
        guard let text = text(name) else { return nil }
        guard let duration = DurationText.parse(text), range.contains(duration) else {
            note(name, value: text, "must be \(expectation)")
            return nil
        }
        return duration
    }

    mutating func object(_ name: String) -> SettingFields? {
        asked.insert(name)
        return nodes[name].map { SettingFields($0, path: "\(path).\(name)") }
    }

    /// Takes over the problems of a nested object.
    mutating func adopt(_ inner: SettingFields) { problems += inner.problems }

    mutating func note(_ name: String, value: String? = nil, _ message: String) {
        problems.append(SettingError("\(path).\(name)", value: value, at: place(of: name), message))
    }

    /// The text of a field that nothing is noted against, so that a rule between entries can say something.
    func sound(_ name: String) -> String? {
        problems.contains { $0.key == "\(path).\(name)" } ? nil : nodes[name]?.scalar?.string
    }

    /// Where a field is, or the object that lacks it.
    func place(of name: String) -> SettingSource? { (nodes[name]?.mark ?? mark).map { .file(line: $0.line) } }

    /// Notes every field that nobody asked for. Called last.
    mutating func refuseUnknown() {
        for name in nodes.keys.sorted() where !asked.contains(name) {
            note(name, "is not a known field\(NearestName.hint(for: name, among: Array(asked)))")
        }
    }
}
