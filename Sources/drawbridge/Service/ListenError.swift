import Foundation
import NIOCore

/// A listener could not take its address.
struct ListenError: Error, CustomStringConvertible {
    let description: String

    /// Tries both addresses before anything listens, so that one that is taken is named, and named first.
    static func check(_ settings: DrawbridgeSettings) throws(ListenError) {
        let listeners = [
            (address: settings.listeners.main, option: "--listen"),
            (address: settings.listeners.management, option: "--management-listen"),
        ]
        for (address, option) in listeners where address.port != 0 {
            guard let code = FreePort.problem(host: address.host, port: address.port) else { continue }
            throw ListenError(code, of: address, option)
        }
    }

    /// What was met after ``check(_:)``: somebody was quicker.
    /// - Returns: `nil` for an error of another kind.
    init?(_ error: any Error, _ settings: DrawbridgeSettings) {
        guard let error = error as? IOError,
            [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode)
        else { return nil }
        let reason = SystemFailure.words(error.errnoCode)
        description = "Cannot listen on \(settings.listeners.main) or \(settings.listeners.management): \(reason)."
    }

    init(_ code: Int32, of address: ListenAddress, _ option: String) {
        let remedy =
            switch code {
            case EADDRINUSE: "Stop what listens there, or choose another with \(option)."
            case EADDRNOTAVAIL: "This machine does not have that address; choose one that it has with \(option)."
            case EACCES: "Ports below 1024 need CAP_NET_BIND_SERVICE; or choose another with \(option)."
            default: "Choose another with \(option)."
            }
        description = "Cannot listen on \(address): \(SystemFailure.words(code)). \(remedy)"
    }
}
