/// How it ended, when it did not end in a refusal.
public struct Outcome: Sendable {
    /// The person declined, and the website was told so.
    public let isDeclined: Bool
    /// The address to open in the browser, with the answer in it: as good as a password for some minutes.
    public let open: Redacted<String>?
    /// Who got the answer.
    public let website: Website
    /// Who the person is to that website; `nil` when declined.
    public let thumbprint: String?
}
