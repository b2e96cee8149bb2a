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
        // Told once, and not of every setting that could be in there.
        guard access(path, X_OK) == 0 else {
            let reason = SystemFailure.words(errno)
            problems.append(SettingError("secrets directory", value: path, "cannot be read: \(reason)"))
            return
        }
        for key in SettingKey.all where key.kind != .objects {
            let file = "\(path)/\(Self.fileName(of: key))"
            switch Self.look(at: file) {
            case .absent: continue
            case .unreadable(let reason):
                problems.append(SettingError(key, at: .secretFile(name: file), "cannot be read: \(reason)"))
            case .text(let text):
                let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
                texts[key.name] = key.kind == .list ? trimmed.split(separator: ",").map(String.init) : [trimmed]
            }
        }
    }

    private enum Finding {
        case absent
        case text(String)
        case unreadable(String)
    }

    /// A file that cannot be looked up, or a link that leads nowhere, is not absent: without a word the default would
    /// hold, and a server that lost sight of its `database` would begin an empty one.
    private static func look(at file: String) -> Finding {
        var status = stat()
        guard lstat(file, &status) == 0 else {
            return errno == ENOENT ? .absent : .unreadable(SystemFailure.words(errno))
        }
        do {
            return .text(try WholeFile.settings(file))
        } catch {
            return .unreadable(error.reason)
        }
    }

    var layer: RawSettings.Layer {
        RawSettings.Layer(texts: texts, isFilledByOthers: true) { .secretFile(name: Self.fileName(of: $0)) }
    }

    static func fileName(of key: SettingKey) -> String { key.components.joined(separator: "-") }
}
