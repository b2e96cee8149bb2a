import Foundation
import SelfIssuedIdP

/// Gives an address to a command of the owner's choice.
struct BrowserLauncher {
    /// Words separated by spaces; no shell in between, so an address is one argument whatever it holds.
    let command: String

    /// - Returns: whether it took it. One that still runs after two seconds is the browser itself.
    func open(_ address: Redacted<String>) async -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command.split(separator: " ").map(String.init) + [address.expose()]
        process.standardInput = FileHandle.nullDevice
        // Browsers chat, and may repeat the address: not on our terminal.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ended.yield($0.terminationStatus)
            ended.finish()
        }
        guard (try? process.run()) != nil else { return false }
        let patience = Task {
            try await Task.sleep(for: .seconds(2))
            ended.finish()
        }
        defer { patience.cancel() }
        for await status in ends { return status == 0 }
        return true
    }
}
