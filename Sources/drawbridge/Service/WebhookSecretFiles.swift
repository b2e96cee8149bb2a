import Bridge

/// The secrets of webhooks: files of one folder, one secret per line, the newest first.
///
/// Read at every delivery, so that a secret is replaced by writing the file: the new one above the old one, and later
/// the new one alone.
struct WebhookSecretFiles: WebhookSecretSource {
    private static let mostSecrets = 4

    let folder: String

    /// - Throws: ``PrivateFileError``, or ``WebhookSecretError`` for a file without a secret.
    func secrets(named name: String) throws -> [Secret<[UInt8]>] {
        // Checked where the client's document is read; here once more, for what an older version stored.
        guard Client.Webhook.isFileName(name) else { throw WebhookSecretError.noFileName }
        let path = path(of: name)
        let secrets = try PrivateFile.read(path).split(separator: UInt8(ascii: "\n"))
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { $0.count >= Client.Webhook.shortestSecret }
            .prefix(Self.mostSecrets).map { Secret(Array($0)) }
        guard !secrets.isEmpty else { throw WebhookSecretError.noSecret(path) }
        return secrets
    }

    /// The file of this name.
    func path(of name: String) -> String { "\(folder)/\(name)" }
}

/// Why a file has no secret of a webhook; says nothing of what is in it.
enum WebhookSecretError: Error, Hashable, CustomStringConvertible {
    case noFileName
    case noSecret(String)

    var description: String {
        switch self {
        case .noFileName: "webhook_secret_file is not the name of a file in the folder of secrets"
        case .noSecret(let path): "\(path) has no line of \(Client.Webhook.shortestSecret) bytes or more"
        }
    }
}
