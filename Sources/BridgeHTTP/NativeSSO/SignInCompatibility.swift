package import Bridge
import OAuth2

/// What the paths of the VA's sign-in service are made from: the same rules as `/oauth/…`, under other names.
package struct SignInCompatibility: Sendable {
    static let base = "/v0/sign_in"
    static let place: Origins.Purposes? = [.website, .provider]
    static let refreshPath = "/v0/sign_in/refresh"

    let codes: AuthorizationCodes
    let codeStore: any AuthorizationCodeStore
    let refreshTokens: any RefreshTokenStore
    let devices: any DeviceSecretStore

    package init(
        codes: AuthorizationCodes, codeStore: any AuthorizationCodeStore, refreshTokens: any RefreshTokenStore,
        devices: any DeviceSecretStore
    ) {
        self.codes = codes
        self.codeStore = codeStore
        self.refreshTokens = refreshTokens
        self.devices = devices
    }
}
