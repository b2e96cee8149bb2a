import Foundation

/// A folder in which every file is one setting: `login_token-lifetime` holds the value of `login_token.lifetime`.
///
/// Orchestrators mount such folders (`/run/secrets`, systemd's credentials directory). They also put other services'
/// files there, so a file that no setting reads is nothing to complain about.
struct SecretFilesDirectory {
    private var texts: [String: [String]] = [:]
    private(set) var problems: [SettingError] = []

    init(path: String?) {
        guard let path else { return }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            problems.append(SettingError("secrets directory", value: path, "is not a folder"))
            return
        }
        for key in SettingKey.all where key.kind != .objects {
            let file = "\(path)/\(Self.fileName(of: key))"
            guard FileManager.default.fileExists(atPath: file) else { continue }
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                problems.append(SettingError(key, at: .secretFile(name: file), "cannot be read"))
                continue
            }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            texts[key.name] = key.kind == .list ? trimmed.split(separator: ",").map(String.init) : [trimmed]
        }
    }

    var layer: RawSettings.Layer {
        RawSettings.Layer(texts: texts) { .secretFile(name: Self.fileName(of: $0)) }
    }

    static func fileName(of key: SettingKey) -> String { key.components.joined(separator: "-") }
}
