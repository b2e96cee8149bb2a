/// Token type identifiers (RFC 8693 §3, Native SSO, contract §5.4).
package enum TokenTypeURI {
    package static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    package static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    package static let deviceSecret = "urn:openid:params:token-type:device-secret"
    /// The name in drafts that apps were built to.
    package static let oldDeviceSecret = "urn:x-oath:params:oauth:token-type:device-secret"
    package static let loginToken = "urn:drawbridge:params:oauth:token-type:login-token"
}
