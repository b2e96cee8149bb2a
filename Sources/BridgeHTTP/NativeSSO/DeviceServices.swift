package import Bridge

/// What the routes about devices call.
package final class DeviceServices: Sendable {
    package let configuration: NativeSSOConfiguration
    package let secrets: DeviceSecrets
    package let devices: any DeviceStore
    package let refresh: SessionRefresh
    /// Explains exchanges; the token endpoint makes them.
    package let exchange: TokenExchangeGrant
    /// Makes the cookies of the profile `tokens`.
    package let cookies: CookieTokens
    /// The user's own page of devices and sessions.
    package let places: SignedInPlaces
    /// What else the compatibility paths of the VA need; `nil` switches them off.
    package let compatibility: SignInCompatibility?

    package init(
        configuration: NativeSSOConfiguration, secrets: DeviceSecrets, devices: any DeviceStore,
        refresh: SessionRefresh, exchange: TokenExchangeGrant, cookies: CookieTokens, places: SignedInPlaces,
        compatibility: SignInCompatibility?
    ) {
        self.configuration = configuration
        self.secrets = secrets
        self.devices = devices
        self.refresh = refresh
        self.exchange = exchange
        self.cookies = cookies
        self.places = places
        self.compatibility = compatibility
    }
}
