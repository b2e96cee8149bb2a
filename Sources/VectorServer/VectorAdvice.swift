package import Foundation
import OAuth2

/// What the sentence behind each error must tell a developer to do (`clients/vectors/advice.json`).
package struct VectorAdvice: Sendable {
    private let texts: [String: String]

    /// Reads the file beside the folder of the cases.
    /// - Throws: ``VectorFlaw`` when it cannot be used.
    package static func load(besideCases folder: URL) throws -> VectorAdvice {
        let file = folder.deletingLastPathComponent().appendingPathComponent("advice.json")
        let members = (try? Data(contentsOf: file)).flatMap { JSONValue.parse(Array($0))?.object } ?? [:]
        let texts = members.compactMapValues { $0.string }
        guard !texts.isEmpty, texts.count == members.count, texts.values.allSatisfy({ !$0.isEmpty }) else {
            throw VectorFlaw("\(file.path): no JSON with a text for each error")
        }
        return VectorAdvice(texts: texts)
    }

    /// All names of errors that may be reported, and `refused.CODE` for the refusals that are told apart.
    package var names: Set<String> { Set(texts.keys) }

    /// - Parameter code: the provider's own, of a refusal.
    /// - Returns: `nil` for what is no name of an error.
    package func text(of error: String, code: String?) -> String? {
        error == "refused" ? code.flatMap { texts["refused.\($0)"] } ?? texts[error] : texts[error]
    }
}
