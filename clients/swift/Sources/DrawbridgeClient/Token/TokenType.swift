/// Names of token types and grants in requests (RFC 8693 §3, Native SSO §4).
enum TokenType {
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let deviceSecret = "urn:openid:params:token-type:device-secret"
    static let deviceCodeGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
}
