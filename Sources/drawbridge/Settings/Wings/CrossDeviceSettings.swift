import Bridge

/// Whether phones sign computers' browsers in (contract §9).
struct CrossDeviceSettings: Sendable {
    static let enabled = Setting.boolean(
        "cross_device.enabled", default: false,
        "Whether an app on a phone may sign in a browser on another device, by a scanned code or by digits.")
    static let requiresSameNetwork = Setting.boolean(
        "cross_device.require_same_network", default: false,
        "Whether phone and computer must be in one network (/24 of IPv4, /56 of IPv6). Phones on mobile data are not.")

    let isEnabled: Bool
    let requiresSameNetwork: Bool

    init(reading settings: SettingsReader) {
        isEnabled = settings[Self.enabled]
        requiresSameNetwork = settings[Self.requiresSameNetwork]
    }
}
