/// `grant_type` of the token endpoint, and `grant_types` of a client (RFC 7591 §2).
package enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    /// RFC 8693.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 8628.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
