import Foundation

/// The tables of cases that are kept outside of the project, or the project's copies where there are none.
enum CaseTable {
    /// A table that is there and cannot be read is an error, for a test to show: the copy never stands in for it.
    static func read<Table: Decodable>(_ name: String, as type: Table.Type) -> Result<Table, any Error> {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../shared/cases/\(name).json").standardized
        let own = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Cases")
        let isShared = FileManager.default.fileExists(atPath: shared.path(percentEncoded: false))
        return Result { try JSONDecoder().decode(type, from: Data(contentsOf: isShared ? shared : own ?? shared)) }
    }
}
