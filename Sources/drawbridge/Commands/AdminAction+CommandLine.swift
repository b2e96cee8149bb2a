import Bridge
import Foundation

extension AdminAction {
    /// What the person at the command line does, by that person's login on this machine.
    static func atCommandLine(reason: String? = nil) -> AdminAction {
        AdminAction(
            actor: .login(ProcessInfo.processInfo.userName), reason: reason, origin: nil, at: TimeSource.system.now())
    }
}
