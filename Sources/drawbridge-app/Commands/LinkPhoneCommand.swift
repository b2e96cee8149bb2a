import ArgumentParser
import DrawbridgeClient
import Foundation
import Synchronization

/// Links a phone's key to the account that the app is signed in to.
struct LinkPhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link-phone", abstract: "Link the key on a phone to your account, so that it signs you in.",
        usage: "drawbridge-app link-phone [<options>]",
        discussion: """
            Takes a sign-in of the last five minutes, and an app that the operator has named for it. Shows a code \
            for the program that holds the key, which asks you and answers with a proof; this program brings it.

            Examples:
              drawbridge-app link-phone --with 'drawbridge-phone register --code'
              drawbridge-app link-phone          shows the code, and reads the proof from standard input

            Exit status: 4 where no proof is given, and where the command of --with fails, that command's own.
            """)

    @OptionGroup var options: AppOptions

    @Option(help: "Run this command with the code as its last argument, and take the proof that it prints.")
    var with: String?

    func run() async throws {
        let command = with
        // Without a proof the person has said no, unless the command says otherwise.
        let status = Mutex(ExitStatus.refused.rawValue)
        try await options.run { drawbridge throws(ClientError) in
            let thumbprint = try await drawbridge.linkPhoneKey { request in
                guard let command else {
                    guard (try? printResult(request.code)) != nil else { return nil }
                    tell("Give this code to the program that holds the key, and its proof here:")
                    return readLine().flatMap { $0.isEmpty ? nil : Redacted($0) }
                }
                let (proof, ended) = Self.proof(from: command, request.code)
                status.withLock { $0 = ended }
                return proof
            }
            guard let thumbprint else { return }
            status.withLock { $0 = 0 }
            say("Linked. The key \(thumbprint) signs you in from now on.")
        }
        let ended = status.withLock { $0 }
        guard ended != 0 else { return }
        throw ExitCode(ended, saying: "nothing was linked" + (command == nil ? "" : "; the command gave no proof"))
    }

    /// What the command prints, in one line; what it asks, it asks on this terminal.
    /// - Returns: the proof, and 0; or none, and the status that the command ended with, as a shell tells it.
    private static func proof(from command: String, _ code: String) -> (proof: Redacted<String>?, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The code is an argument of its own: nothing in it is read as words of the command.
        process.arguments = ["-c", "\(command) \"$1\"", "link-phone", code]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return (nil, ExitStatus.failed.rawValue) }
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let line = String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let status = process.terminationStatus + (process.terminationReason == .exit ? 0 : 128)
        guard status == 0 else { return (nil, status) }
        return line.isEmpty ? (nil, ExitStatus.failed.rawValue) : (Redacted(line), 0)
    }
}
