import Foundation

/// Where a demo keeps its database and keys: a folder that was named, or a temporary one.
struct DemoFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    init(named path: String?) throws {
        isTemporary = path == nil
        let folder =
            path.map { URL(filePath: $0).standardizedFileURL }
            ?? FileManager.default.temporaryDirectory.appending(path: "drawbridge-demo-\(UUID().uuidString)")
        let text = folder.path(percentEncoded: false)
        self.path = text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        try StorageFolder.create(self.path)
    }

    func path(of part: DemoMaterial) -> String { "\(path)/\(part.fileName)" }

    /// Removes a folder that was not named.
    func discard() {
        guard isTemporary else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
