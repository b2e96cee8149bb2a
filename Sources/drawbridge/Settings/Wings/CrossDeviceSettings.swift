import Bridge

/// Whether phones sign computers' browsers in (contract §9).
struct CrossDeviceSettings: Sendable {
    static let enabled = Setting.boolean(
        "cross_device.enabled", default: false,
        "Whether an app on a phone may sign in a browser on another device, by a scanned code or by digits.")
    static let requiresSameNetwork = Setting.boolean(
        "cross_device.require_same_network", default: false,
        "Whether phone and computer must be in one network (/24 of IPv4, /56 of IPv6). Phones on mobile data are not.")
    static let heldPages = Setting.integer(
        "cross_device.held_pages", 0...100_000, default: 256,
        "How many pages that wait for a phone a server keeps waiting at a time; the others ask every ten seconds.")

    let isEnabled: Bool
    let requiresSameNetwork: Bool
    let heldPages: Int

    init(reading settings: SettingsReader) {
        isEnabled = settings[Self.enabled]
        requiresSameNetwork = settings[Self.requiresSameNetwork]
        heldPages = settings[Self.heldPages]
    }
}
