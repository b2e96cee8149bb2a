/// Where an app keeps its secrets between two runs.
///
/// All methods throw ``ClientError/secretStore(_:)`` when the store does not work; "there is none" is not an error.
public protocol SecretStore: Sendable {
    /// The secret of this name; `nil` when there is none.
    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>?
    /// Keeps a secret in place of the one before. A reader sees the one or the other, never a part.
    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError)
    /// Forgets it; nothing happens when there is none.
    func remove(_ item: SecretItem) async throws(ClientError)
}
