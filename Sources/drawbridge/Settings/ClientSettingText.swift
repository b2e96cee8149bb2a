import Bridge
import Foundation
import OAuth2
import Yams

/// A client's document as text: YAML in the settings file, JSON (which is YAML too) for `clients add`.
enum ClientSettingText {
    /// Defaults for a client that does not say.
    struct Defaults: Sendable {
        let lifetime: Duration
        let idle: Duration

        static let builtIn = Defaults(lifetime: Client.defaultSessionLifetime, idle: Client.defaultSessionIdle)
    }

    /// - Throws: `ClientDocumentError` naming every faulty field, or the parser's error.
    static func read(yaml: String, defaults: Defaults = .builtIn) throws -> Client {
        guard case .mapping(var mapping)? = try Yams.compose(yaml: yaml) else {
            throw NotAnObject()
        }
        let lifetime = mapping["session_lifetime"]?.int ?? Int(defaults.lifetime.components.seconds)
        // Never below what the document may hold: a lifetime that is too short is one fault, not two.
        let idle = max(min(Int(defaults.idle.components.seconds), lifetime), 60)
        if mapping["session_lifetime"] == nil { mapping["session_lifetime"] = Node(String(lifetime)) }
        if mapping["session_idle"] == nil { mapping["session_idle"] = Node(String(idle)) }
        do {
            return try YAMLDecoder().decode(ClientDocument.self, from: .mapping(mapping)).client
        } catch DecodingError.dataCorrupted(let context) {
            throw context.underlyingError ?? DecodingError.dataCorrupted(context)
        }
    }

    /// The text is something else than fields and values.
    struct NotAnObject: Error, CustomStringConvertible {
        var description: String { "must be an object with a client's fields" }
    }

    /// The document as indented JSON.
    static func json(_ client: Client) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(ClientDocument(client)), as: UTF8.self)
    }
}
