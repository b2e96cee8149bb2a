/// What a store knows of a secret that somebody presents.
package struct PresentedDeviceSecret: Hashable, Sendable {
    /// Where the secret stands among its device's secrets.
    package enum Place: Hashable, Sendable {
        case current
        /// A newer one was given out at this instant. Works once more within the overlap, for an app that did not get
        /// the answer; `isSpent` when it has done so.
        case replaced(at: Timestamp, isSpent: Bool)
    }

    package let device: DeviceSecret
    package let place: Place
    /// The app sessions below the device.
    package let sessionIDs: Set<SessionID>

    package init(device: DeviceSecret, place: Place, sessionIDs: Set<SessionID>) {
        self.device = device
        self.place = place
        self.sessionIDs = sessionIDs
    }

    /// Whether the secret is a rotated one that nobody honest should hold any more.
    package func isReplay(at now: Timestamp, overlap: Duration) -> Bool {
        guard case .replaced(let replacedAt, let isSpent) = place else { return false }
        return isSpent || now - replacedAt > overlap
    }
}
