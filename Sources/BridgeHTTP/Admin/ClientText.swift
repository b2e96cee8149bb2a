import Bridge
import Foundation
import OAuth2

/// A client's document as the API shows it, and the tag that names this state of it.
struct ClientText: Sendable {
    let members: [String: JSONValue]
    let bytes: [UInt8]
    /// Covers the secret's digest too, which is not shown: a new secret is a new state.
    let tag: String

    init(of client: Client) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = Array(try encoder.encode(ClientDocument(client, showsSecretDigest: false)))
        // Whoever edits what is left of a document would save it without the rest.
        guard let members = JSONValue.parse(bytes: bytes)?.object else { throw OAuthError(.serverError) }
        self.members = members
        tag = EntityTags.strong(of: Array(try encoder.encode(ClientDocument(client))))
    }

    /// The document as people edit it.
    func pretty() throws -> String { try Self.pretty(members) }

    static func pretty(_ members: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(JSONValue.object(members)), as: UTF8.self)
    }

    /// The document as a patch leaves it (RFC 7396).
    ///
    /// It shows `session_idle` whether or not anybody has written it. Where a patch shortens `session_lifetime` alone,
    /// the old idle life is not held against it: it is taken from the new lifetime, as for a new client.
    func patched(by patch: [String: JSONValue]) -> [String: JSONValue] {
        var merged = JSONMergePatch.apply(patch, to: members)
        guard patch["session_lifetime"] != nil, patch["session_idle"] == nil,
            let idle = merged["session_idle"]?.wholeNumber
        else { return merged }
        let lifetime = merged["session_lifetime"]?.wholeNumber ?? Client.defaultSessionLifetime.inMilliseconds / 1000
        if idle > lifetime { merged["session_idle"] = nil }
        return merged
    }

    /// The document with its secret, the one time that it is shown.
    func bytes(showing secret: OpaqueSecret?) throws -> [UInt8] {
        guard let secret else { return bytes }
        var members = members
        members["client_secret"] = .string(secret.expose())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(JSONValue.object(members)))
    }
}
