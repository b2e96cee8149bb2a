import Foundation
import Synchronization

/// A child process that can be killed and started again.
final class ProcessBox: Sendable {
    private let pid = Mutex<pid_t>(0)

    func launch(_ path: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        pid.withLock { $0 = process.processIdentifier }
    }

    func kill() {
        let pid = pid.withLock { pid in
            defer { pid = 0 }
            return pid
        }
        if pid != 0 { Foundation.kill(pid, SIGKILL) }
    }
}
