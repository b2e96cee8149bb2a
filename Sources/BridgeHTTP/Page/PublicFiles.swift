import Foundation

/// Templates, texts and assets: those in the binary, and those of a folder, which take precedence.
package struct PublicFiles: Sendable {
    /// By path, such as `templates/confirm.mustache`.
    private let contents: [String: [UInt8]]
    /// Whether a folder brings templates of its own.
    let replacesTemplates: Bool

    /// What the binary brings.
    package static let embedded = PublicFiles(contents: EmbeddedFiles.contents.mapValues { Array($0.utf8) })

    private init(contents: [String: [UInt8]], replacesTemplates: Bool = false) {
        self.contents = contents
        self.replacesTemplates = replacesTemplates
    }

    /// The embedded files with those of a folder in front: same layout as `public/`, any part of it.
    /// - Throws: when the folder or one of its files cannot be read.
    package init(overriddenBy folder: String) throws {
        var contents = Self.embedded.contents
        var replacesTemplates = false
        let root = URL(fileURLWithPath: folder, isDirectory: true)
        for section in ["assets", "templates", "texts"] {
            let directory = root.appendingPathComponent(section, isDirectory: true)
            guard FileManager.default.fileExists(atPath: directory.path) else { continue }
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                guard !name.hasPrefix(".") else { continue }
                if section == "templates" { replacesTemplates = true }
                contents["\(section)/\(name)"] = Array(try Data(contentsOf: directory.appendingPathComponent(name)))
            }
        }
        self.init(contents: contents, replacesTemplates: replacesTemplates)
    }

    /// Whether there is an asset of this name, in a folder of one's own or in the binary.
    package static func hasAsset(_ name: String, overriddenBy folder: String?) -> Bool {
        embedded.contents["assets/\(name)"] != nil
            || (folder.map { FileManager.default.fileExists(atPath: "\($0)/assets/\(name)") } ?? false)
    }

    /// The API's description, OpenAPI 3.1; only the binary's own, since it says what the binary does.
    package static let apiDescription = embedded.contents["openapi.json"] ?? []
    /// The description of the console's pages and forms, OpenAPI 3.1.
    package static let consoleDescription = embedded.contents["openapi-console.json"] ?? []

    /// Both for people: what stands in the pages at `/api/docs` and `/api/docs/console`.
    static let apiPage = String(decoding: embedded.contents["api-docs.html"] ?? [], as: UTF8.self)
    static let consolePage = String(decoding: embedded.contents["api-docs-console.html"] ?? [], as: UTF8.self)

    /// The files of one section, by their name in it.
    func section(_ name: String) -> [String: [UInt8]] {
        let prefix = name + "/"
        return Dictionary(
            uniqueKeysWithValues: contents.filter { $0.key.hasPrefix(prefix) }
                .map { (String($0.key.dropFirst(prefix.count)), $0.value) })
    }
}
