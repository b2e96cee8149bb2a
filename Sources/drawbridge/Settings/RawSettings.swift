import Foundation
import Yams

/// The first stage: for every key the text that won and where it came from. Nothing is interpreted yet.
struct RawSettings {
    struct Value: Sendable {
        let texts: [String]
        let source: SettingSource

        var text: String { texts.joined(separator: ",") }
    }

    /// One source: what it has for each key, as many texts as it writes there.
    struct Layer {
        let texts: [String: [String]]
        /// Whether a unit, a script or Compose fills it in, which makes a variable or a file also where there is nothing
        /// to put there.
        var isFilledByOthers = false
        let source: (SettingKey) -> SettingSource

        /// What it says about a setting, be it nothing; `nil` to let a weaker layer speak.
        func statement(on key: SettingKey) -> [String]? {
            guard let texts = texts[key.name] else { return nil }
            let isUnfilled = isFilledByOthers && key.isUnsetWhenEmpty
            return isUnfilled && texts.allSatisfy { $0.allSatisfy(\.isWhitespace) } ? nil : texts
        }
    }

    private(set) var values: [String: Value] = [:]
    /// The file's lists of objects, by key.
    private(set) var objects: [String: [Node]] = [:]
    private(set) var problems: [SettingError] = []
    /// The settings file could not be read, so what it leaves out says nothing.
    private(set) var isUnread = false
    /// Nobody said where the settings file is.
    private(set) var namesNoFile = false
    /// Relative paths are meant from here: the settings file's folder, or the working folder.
    private(set) var baseDirectory = FileManager.default.currentDirectoryPath

    /// Reads every source.
    static func read(_ inputs: SettingsInputs) -> RawSettings {
        var raw = RawSettings()
        raw.namesNoFile = inputs.filePath == nil
        let flags = SettingFlags(inputs.flags)
        let file = raw.file(at: inputs.filePath)
        let secrets = SecretFilesDirectory(path: inputs.secretsDirectory)
        let environment = raw.environment(inputs.environment)
        raw.problems += flags.problems + secrets.problems + file.problems
        raw.refuseUnknownNames(in: file)
        raw.objects = file.objects
        // From the strongest to the weakest.
        raw.choose(from: [flags.layer, environment, secrets.layer, file.layer])
        return raw
    }

    private mutating func file(at path: String?) -> SettingsFile {
        guard let path else { return SettingsFile() }
        let url = URL(filePath: path).standardizedFileURL
        baseDirectory = url.deletingLastPathComponent().path(percentEncoded: false)
        do {
            let file = SettingsFile(yaml: try WholeFile.settings(url.path(percentEncoded: false)))
            isUnread = file.isUnread
            return file
        } catch {
            isUnread = true
            problems.append(SettingError("settings file", value: path, "cannot be read: \(error.reason)"))
            return SettingsFile()
        }
    }

    /// The variables with our prefix.
    private mutating func environment(_ all: [String: String]) -> Layer {
        let known = Dictionary(uniqueKeysWithValues: SettingKey.all.map { ($0.environmentName, $0) })
        let reserved = [SettingsInputs.filePathVariable, SettingsInputs.secretsDirectoryVariable]
        var texts: [String: [String]] = [:]
        for (name, value) in all.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(SettingKey.environmentPrefix) && !reserved.contains(name) {
            if let key = known[name], key.kind != .objects {
                texts[key.name] = key.kind == .list ? value.split(separator: ",").map(String.init) : [value]
            } else if known[name] != nil {
                problems.append(SettingError(name, "can only be set in the settings file"))
            } else {
                let hint = NearestName.hint(for: name, among: Array(known.keys))
                problems.append(SettingError(name, "is an environment variable that no setting reads\(hint)"))
            }
        }
        return Layer(texts: texts, isFilledByOthers: true) { .environment(name: $0.environmentName) }
    }

    private mutating func refuseUnknownNames(in file: SettingsFile) {
        for (name, entry) in file.entries.sorted(by: { $0.key < $1.key }) where SettingKey.byName[name] == nil {
            let hint = NearestName.hint(for: name, among: SettingKey.all.map(\.name))
            problems.append(SettingError(name, at: .file(line: entry.line), "is not a known key\(hint)"))
        }
    }

    /// For each key, what the first layer says that speaks of it.
    private mutating func choose(from layers: [Layer]) {
        for key in SettingKey.all where key.kind != .objects {
            let spoken = layers.lazy.compactMap { layer in layer.statement(on: key).map { (layer, $0) } }.first
            guard let (layer, texts) = spoken else { continue }
            let source = layer.source(key)
            if key.kind == .list {
                let elements = texts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                values[key.name] = Value(texts: elements.filter { !$0.isEmpty }, source: source)
            } else if texts.count == 1 {
                values[key.name] = Value(texts: texts, source: source)
            } else {
                problems.append(SettingError(key, at: source, "must be \(key.kind.expectation)"))
            }
        }
    }
}

extension RawSettings {
    /// What a program sets itself, where no operator has a say.
    init(given: [SettingKey: String]) {
        values = given.reduce(into: [:]) { values, entry in
            let (key, text) = entry
            let texts = key.kind == .list ? text.split(separator: ",").map(String.init) : [text]
            values[key.name] = Value(texts: texts, source: .commandLine(flag: key.flag))
        }
    }
}
