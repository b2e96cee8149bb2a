public import Foundation

/// An address that signs a browser in, once, for at most a minute. Open it at once; do not log, copy or share it.
public struct LoginLink: Sendable {
    /// What to open.
    public let url: Redacted<URL>
    /// Until when it works.
    public let expiresAt: Date
}
