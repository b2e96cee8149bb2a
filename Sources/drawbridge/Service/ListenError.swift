import Foundation
import NIOCore

/// A listener could not take its address.
struct ListenError: Error, CustomStringConvertible {
    let description: String

    /// - Returns: `nil` for an error of another kind.
    init?(_ error: any Error, _ settings: DrawbridgeSettings) {
        guard let error = error as? IOError,
            [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode)
        else { return nil }
        let reason = String(cString: strerror(error.errnoCode))
        description = "Cannot listen on \(settings.listeners.main) and \(settings.listeners.management): \(reason)."
    }
}
