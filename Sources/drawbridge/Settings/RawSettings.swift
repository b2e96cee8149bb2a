import Configuration
import Foundation
import Synchronization
import Yams

/// The first stage: for every key the text that won and where it came from. Nothing is interpreted yet.
struct RawSettings {
    struct Value: Sendable {
        let texts: [String]
        let source: SettingSource

        var text: String { texts.joined(separator: ",") }
    }

    private(set) var values: [String: Value] = [:]
    /// The file's lists of objects, by key.
    private(set) var objects: [String: [Node]] = [:]
    private(set) var problems: [SettingProblem] = []
    /// Relative paths are meant from here: the settings file's folder, or the working folder.
    private(set) var baseDirectory = FileManager.default.currentDirectoryPath

    private enum Rank: CaseIterable { case commandLine, environment, secretFiles, file }

    /// Reads every source.
    static func read(_ inputs: SettingsInputs) -> RawSettings {
        var raw = RawSettings()
        let flags = SettingFlags(inputs.flags)
        let file = raw.file(at: inputs.filePath)
        let secrets = SecretFilesDirectory(path: inputs.secretsDirectory)
        let environment = raw.environment(inputs.environment)
        raw.problems += flags.problems + secrets.problems + file.problems
        raw.refuseUnknownNames(in: file)
        raw.objects = file.objects
        raw.look(
            in: [
                .commandLine: CommandLineArgumentsProvider(arguments: flags.providerArguments),
                .environment: EnvironmentVariablesProvider(environmentVariables: environment),
                .secretFiles: secrets.provider,
                .file: file.provider,
            ], file: file)
        return raw
    }

    private mutating func file(at path: String?) -> SettingsFile {
        guard let path else { return SettingsFile() }
        let url = URL(filePath: path).standardizedFileURL
        baseDirectory = url.deletingLastPathComponent().path(percentEncoded: false)
        do {
            return SettingsFile(yaml: try String(contentsOf: url, encoding: .utf8))
        } catch {
            problems.append(SettingProblem("settings file", value: path, "cannot be read"))
            return SettingsFile()
        }
    }

    /// The variables with our prefix, without it.
    private mutating func environment(_ all: [String: String]) -> [String: String] {
        let known = Dictionary(uniqueKeysWithValues: SettingKey.all.map { ($0.environmentName, $0) })
        let reserved = [SettingsInputs.filePathVariable, SettingsInputs.secretsDirectoryVariable]
        var kept: [String: String] = [:]
        for (name, value) in all.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(SettingKey.environmentPrefix) && !reserved.contains(name) {
            if let key = known[name], key.kind != .objects {
                kept[String(name.dropFirst(SettingKey.environmentPrefix.count))] = value
            } else if known[name] != nil {
                problems.append(SettingProblem(name, "can only be set in the settings file"))
            } else {
                let hint = NearestName.of(name, among: Array(known.keys)).map { ", did you mean \($0)?" }
                problems.append(
                    SettingProblem(name, "is an environment variable that no setting reads\(hint ?? "")"))
            }
        }
        return kept
    }

    private mutating func refuseUnknownNames(in file: SettingsFile) {
        for (name, entry) in file.entries.sorted(by: { $0.key < $1.key }) where SettingKey.byName[name] == nil {
            let hint = NearestName.of(name, among: SettingKey.all.map(\.name)).map { ", did you mean \($0)?" }
            problems.append(SettingProblem(name, at: .file(line: entry.line), "is not a known key\(hint ?? "")"))
        }
    }

    private mutating func look(in providers: [Rank: any ConfigProvider], file: SettingsFile) {
        let ranked = Rank.allCases.compactMap { rank in providers[rank].map { (rank, $0) } }
        let reporter = LastLookup()
        let reader = ConfigReader(providers: ranked.map(\.1), accessReporter: reporter)
        for key in SettingKey.all where key.kind != .objects {
            let name = ConfigKey(key.components)
            let texts: [String]?
            if key.kind == .list {
                texts = reader.stringArray(forKey: name)?
                    .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
            } else {
                texts = reader.string(forKey: name).map { [$0] }
            }
            guard let index = reporter.answeringProvider.withLock({ $0 }) else { continue }
            let source: SettingSource =
                switch ranked[index].0 {
                case .commandLine: .commandLine(flag: key.flag)
                case .environment: .environment(name: key.environmentName)
                case .secretFiles: .secretFile(name: SecretFilesDirectory.fileName(of: key))
                case .file: .file(line: file.entries[key.name]?.line ?? 0)
                }
            if let texts {
                values[key.name] = Value(texts: texts, source: source)
            } else {
                problems.append(SettingProblem(key, at: source, "must be \(key.kind.expectation)"))
            }
        }
    }
}

/// Remembers which provider answered the last question, or failed to; `nil` when none did.
private final class LastLookup: AccessReporter {
    let answeringProvider = Mutex<Int?>(nil)

    func report(_ event: AccessEvent) {
        let index = event.providerResults.firstIndex { result in
            switch result.result {
            case .success(let found): found.value != nil
            case .failure: true
            }
        }
        answeringProvider.withLock { $0 = index }
    }
}
