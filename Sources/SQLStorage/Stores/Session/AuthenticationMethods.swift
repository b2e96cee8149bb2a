import Bridge
import Foundation
import OAuth2

/// `amr` in one column: a JSON array of texts, nothing when it is empty.
enum AuthenticationMethods {
    static func encode(_ methods: [String]) -> SQLValue {
        guard !methods.isEmpty else { return .null }
        return .text("[" + methods.map(JSONText.quoted).joined(separator: ",") + "]")
    }

    static func decode(_ text: String?) throws -> [String] {
        guard let text else { return [] }
        do {
            return try JSONDecoder().decode([String].self, from: Data(text.utf8))
        } catch {
            throw StorageError.corrupt("a session's amr is not a JSON array of texts")
        }
    }
}
