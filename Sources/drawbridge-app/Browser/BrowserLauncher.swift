import DrawbridgeClient
import Foundation

/// Opens an address in the system's browser, or leaves that to the reader of our output.
struct BrowserLauncher: Sendable {
    /// Command lines to try in turn; the address takes the place of `%s`, or is appended. `nil`: print it.
    private let commands: [[String]]?

    /// Prints the address.
    static let printing = BrowserLauncher(commands: nil)

    /// `$BROWSER` as Debian's and other programs read it, several separated by colons; then `xdg-open`.
    static func system(environment: [String: String] = ProcessInfo.processInfo.environment) -> BrowserLauncher {
        let wished = (environment["BROWSER"] ?? "").split(separator: ":")
            .map { $0.split(separator: " ").map(String.init) }.filter { !$0.isEmpty }
        return BrowserLauncher(commands: wished + [["xdg-open"]])
    }

    private init(commands: [[String]]?) { self.commands = commands }

    func open(_ address: String) async throws(ClientError) {
        guard let commands else { return try printResult(address) }
        for command in commands where await Self.starts(command, address) { return }
        throw .configuration("no browser can be opened; set BROWSER, or use --print-url")
    }

    /// No shell in between: the address is one argument, whatever it holds.
    private static func starts(_ command: [String], _ address: String) async -> Bool {
        var arguments = command.map { $0.replacing("%s", with: address) }
        if arguments == command { arguments.append(address) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
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
        // One that still runs after two seconds is the browser itself; one that is gone says how it went.
        let patience = Task {
            try await Task.sleep(for: .seconds(2))
            ended.finish()
        }
        defer { patience.cancel() }
        for await status in ends { return status == 0 }
        return true
    }
}
