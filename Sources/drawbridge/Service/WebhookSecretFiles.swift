import Bridge

/// The secrets of webhooks: files of one folder, one secret per line, the newest first.
///
/// Read at every delivery, so that a secret is replaced by writing the file: the new one above the old one, and later
/// the new one alone.
struct WebhookSecretFiles: WebhookSecretSource {
    private static let mostSecrets = 4

    let folder: String

    func secrets(named name: String) -> [Secret<[UInt8]>] {
        // Checked where the client's document is read; here once more, for what an older version stored.
        guard Client.Webhook.isFileName(name), let bytes = try? PrivateFile.read("\(folder)/\(name)") else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n"))
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { $0.count >= Client.Webhook.shortestSecret }
            .prefix(Self.mostSecrets).map { Secret(Array($0)) }
    }
}
