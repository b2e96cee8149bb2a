package import Bridge
import OAuth2

/// What the paths of the VA's sign-in service are made from: the same rules as `/oauth/…`, under other names.
package final class SignInCompatibility: Sendable {
    static let base = "/v0/sign_in"
    static let place: Origins.Purposes? = [.website, .provider]
    static let authorizePath = "/v0/sign_in/authorize"
    static let refreshPath = "/v0/sign_in/refresh"

    let codes: AuthorizationCodes
    let grants: any GrantStore
    let devices: any DeviceStore
    let configuration: NativeSSOConfiguration
    let refusals: RefusalLog

    package init(
        codes: AuthorizationCodes, grants: any GrantStore, devices: any DeviceStore,
        configuration: NativeSSOConfiguration, refusals: RefusalLog
    ) {
        self.codes = codes
        self.grants = grants
        self.devices = devices
        self.configuration = configuration
        self.refusals = refusals
    }
}
