import ArgumentParser
import Foundation
import SelfIssuedIdP

/// Where keys lie, and how their PIN is given.
struct StoreOptions: ParsableArguments {
    @Option(help: "The folder of the keys. Default: drawbridge-phone in your data folder.")
    var store: String?

    @Option(
        name: .customLong("pin-file"),
        help: "Read the PIN from the first line of this file instead of asking for it on the terminal.")
    var pinFile: String?

    var folder: URL {
        if let store { return URL(filePath: store) }
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: "drawbridge-phone")
        }
        return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share/drawbridge-phone")
    }

    func keys() -> FileKeyStore {
        let file = pinFile
        return FileKeyStore(folder: folder) { file.map(PINFile.read) ?? Terminal.secret("PIN: ") }
    }
}

/// A PIN in a file of the owner's, for programs.
enum PINFile {
    /// - Returns: `nil` when there is none in it.
    static func read(_ path: String) -> Redacted<String>? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let line = text.split(whereSeparator: \.isNewline).first
        else { return nil }
        return Redacted(String(line))
    }
}
