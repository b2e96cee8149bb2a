import OAuth2

extension Client {
    /// Whether it must prove itself by a secret at the token endpoint and has none, so that it never can.
    ///
    /// A website that is only opened with login tokens has no business there and needs no secret. One that signs with
    /// its own keys always has them: ``ClientDocument`` sees to it.
    package var lacksSecret: Bool {
        switch authenticationMethod {
        case .none, .privateKeyJWT: false
        case .clientSecretBasic, .clientSecretPost:
            // The code grant alone is the default of a website, and comes to nothing without a redirect URI.
            secretDigest == nil
                && (kind == .service || !redirectURIs.isEmpty || !grantTypes.isSubset(of: [.authorizationCode]))
        }
    }
}
