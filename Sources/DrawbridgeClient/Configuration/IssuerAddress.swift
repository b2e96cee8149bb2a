/// The provider's issuer identifier: an https address without query, fragment and final slash (RFC 8414 §2).
///
/// Plain http only where nothing leaves the machine: `127.0.0.1`, `[::1]`, `localhost`.
public struct IssuerAddress: Sendable, Hashable, CustomStringConvertible {
    /// As it stands in `iss`, byte for byte.
    public let text: String
    let isLoopback: Bool

    /// - Throws: ``ClientError/configuration(_:)`` for what cannot be an issuer.
    public init(_ text: String) throws(ClientError) {
        guard let address = SecureAddress(text) else {
            throw .configuration("\"\(text)\" is not an issuer: https://…, or http:// on this machine alone")
        }
        guard !text.hasSuffix("/"), !text.contains("?") else {
            throw .configuration("an issuer has neither a query nor a slash at its end")
        }
        self.text = text
        isLoopback = address.isLoopbackHTTP
    }

    /// The issuer's text.
    public var description: String { text }
}
