import Bridge
import Foundation
import OAuth2
import Yams

/// Turns texts into values and notes every problem on the way; nothing malformed becomes its default silently.
///
/// The wings' settings structs ask it for their settings, each once and each whatever the others hold: what it was
/// asked for is the table of all settings.
final class SettingsReader {
    /// What it was asked for so far, in this order.
    private(set) var declared: [SettingKey] = []
    private(set) var problems: [SettingError]
    /// What `check-config` prints instead of a text: defaults that follow from other settings, addresses without
    /// their password.
    private(set) var shown: [String: String] = [:]
    let raw: RawSettings

    init(_ raw: RawSettings) {
        self.raw = raw
        problems = raw.problems
    }

    /// The value in force; a text that the setting may not be is noted, and the default is used.
    subscript<Value>(_ setting: Setting<Value>) -> Value {
        declared.append(setting.key)
        let key = setting.key
        let fallback = { key.fallback.flatMap { setting.parse(self.placed($0, key)) } ?? setting.absent }
        let set = raw.values[key.name]
        if !key.mayBeEmpty, (set?.text ?? key.fallback ?? "").isEmpty {
            let hint = set == nil && raw.namesNoFile ? Self.namedNoFile : ""
            note(SettingError(setting, at: set?.source, "is required: \(key.kind.expectation)\(hint)"))
            return fallback()
        }
        guard let set else { return fallback() }
        if let value = setting.parse(placed(set.text, key)) { return value }
        note(setting, value: set.text, "must be \(key.kind.expectation(insteadOf: set.text))")
        return fallback()
    }

    /// Most who forget the file have one that is complete.
    private static let namedNoFile =
        "; no settings file is named: give --config FILE, or set \(SettingsInputs.filePathVariable)"

    /// The elements as their source separates them: in the file's list a comma is part of one.
    subscript(_ setting: Setting<[String]>) -> [String] {
        declared.append(setting.key)
        return raw.values[setting.key.name]?.texts ?? setting.key.fallback.flatMap(setting.parse) ?? []
    }

    /// The objects that the file lists.
    subscript(_ setting: Setting<Void>) -> [Node] {
        declared.append(setting.key)
        return raw.objects[setting.key.name] ?? []
    }

    /// The entries that the file lists as objects, each with a name of its own; what is wrong with them is noted.
    /// - Parameter field: which one has the name.
    func entries<Entry>(
        of list: Setting<Void>, named field: String, _ read: (inout SettingFields) -> Entry?
    ) -> [Entry] {
        var found: [Entry] = []
        var names: Set<String> = []
        for (index, node) in self[list].enumerated() {
            var fields = SettingFields(node, path: "\(list.key.name)[\(index)]")
            let entry = read(&fields)
            // Whatever else is wrong with either of the two: all problems are told at once.
            if let name = fields.sound(field), !names.insert(name).inserted {
                fields.note(field, value: name, "is taken")
            }
            fields.problems.forEach { note($0) }
            if let entry { found.append(entry) }
        }
        return found
    }

    /// Every element of a list must parse; those that do not are noted one by one.
    func elements<Element>(
        _ setting: Setting<[String]>, expecting expectation: String, _ parse: (String) -> Element?
    ) -> [Element] {
        self[setting].compactMap { text in
            if let element = parse(text) { return element }
            note(setting, value: text, "must be \(expectation)")
            return nil
        }
    }

    /// Whether some source has the setting.
    func isSet<Value>(_ setting: Setting<Value>) -> Bool { raw.values[setting.key.name] != nil }

    func note(_ problem: SettingError) { problems.append(problem) }

    /// Notes what is wrong with a setting, and where its value comes from.
    func note<Value>(_ setting: Setting<Value>, value: String? = nil, _ message: String) {
        note(SettingError(setting, value: value, at: source(of: setting), message))
    }

    /// Notes a setting that nobody set, and where that is said which makes it necessary.
    /// - Parameter condition: such as "is set".
    func noteMissing<Value, Cause>(
        _ setting: Setting<Value>, because cause: Setting<Cause>, _ condition: String = "is set"
    ) {
        note(SettingError(setting, "is required when \(cause.key.name) \(condition) (\(source(of: cause)))"))
    }

    /// Where the value of a setting comes from.
    func source<Value>(of setting: Setting<Value>) -> SettingSource {
        raw.values[setting.key.name]?.source ?? .fallback
    }

    func show<Value>(_ setting: Setting<Value>, as text: String) { shown[setting.key.name] = text }

    /// A path, or the one in the data folder that holds without it.
    func path(_ setting: Setting<String?>, or fallback: String) -> String {
        if let path = self[setting] { return path }
        if !isSet(setting) { show(setting, as: fallback) }
        return fallback
    }

    func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : "\(raw.baseDirectory)/\(path)"
        // By the letters alone: NSString's `standardizingPath` follows links, and who asks whose a folder is, asks about the
        // link as well.
        return URL(filePath: whole, directoryHint: .notDirectory).standardizedFileURL.path(percentEncoded: false)
    }

    /// Notes a secret file that is missing or that others can read.
    func requirePrivate(_ path: String, for setting: Setting<String?>) {
        do {
            _ = try PrivateFile.read(path)
        } catch {
            note(setting, value: path, "\(error)")
        }
    }

    private func placed(_ text: String, _ key: SettingKey) -> String {
        key.kind == .path && !text.isEmpty ? absolute(text) : text
    }
}

extension String {
    /// Whether there are only letters, digits, dots, dashes, underscores and what else is named.
    func isName(and others: String = "") -> Bool {
        utf8.allSatisfy { ASCII.isNameByte($0) || others.utf8.contains($0) }
    }
}
