import Foundation

/// The name that a user types to sign in.
///
/// Two spellings that look the same or differ in case only are one name: they are compared by ``key``.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    /// As it was registered.
    package let text: String
    /// Compatibility-composed and lower case; unique over all accounts.
    package let key: String

    /// - Returns: `nil` when the text is empty, longer than 128 bytes, or holds control characters.
    package init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard (1...128).contains(trimmed.utf8.count),
            trimmed.unicodeScalars.allSatisfy({ !CharacterSet.controlCharacters.contains($0) && $0 != "\u{FFFD}" })
        else { return nil }
        self.text = trimmed
        key = trimmed.precomposedStringWithCompatibilityMapping.lowercased().precomposedStringWithCompatibilityMapping
    }

    package var description: String { text }

    package static func == (left: Username, right: Username) -> Bool { left.key.utf8.elementsEqual(right.key.utf8) }

    package func hash(into hasher: inout Hasher) { hasher.combine(Array(key.utf8)) }
}
