/// Why a provider's description of itself is not trusted.
public enum ProviderFlaw: Sendable, Equatable {
    /// The document names another issuer than the one that was asked (RFC 8414 §3.3).
    case otherIssuer
    /// An endpoint is missing, or its address is not secure; names it.
    case endpoint(String)
    /// It does not do PKCE with S256 (RFC 8252 §8.1).
    case noPKCE
    /// A document cannot be read; names it.
    case malformed(String)
}
