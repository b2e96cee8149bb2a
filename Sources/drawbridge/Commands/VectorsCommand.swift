import ArgumentParser
import Foundation
import VectorServer

/// For the makers of client libraries: the scripted provider that their tests are played against.
struct VectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Play the provider for the tests of client libraries.",
        discussion: """
            Example:
              drawbridge vectors serve --vectors clients/vectors \\
                  --port-file /tmp/vectors.url
            """,
        subcommands: [Serve.self])

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve",
            abstract: "Replay the cases of clients/vectors on loopback, and judge what a library does.",
            discussion: """
                It opens no store and reads no settings; keys and secrets are made anew for every run of a case. \
                How a test program talks to it: clients/vectors/README.md.

                Example:
                  drawbridge vectors serve --vectors clients/vectors \\
                      --port-file /tmp/vectors.url
                """)

        @Option(help: "Folder with the cases, or one that has them in cases/.")
        var vectors = "clients/vectors"

        @Option(help: "Address and port, on loopback; port 0 picks a free one.")
        var listen = "127.0.0.1:0"

        @Option(help: "File to write the address to when ready. Default: standard output.")
        var portFile: String?

        @Flag(help: "End when standard input closes: with the program that started this.")
        var untilInputCloses = false

        func validate() throws {
            guard let address = ListenAddress(listen), address.host == "127.0.0.1" else {
                throw ValidationError("\(listen): it listens on 127.0.0.1 only, such as 127.0.0.1:0.")
            }
        }

        func run() async throws {
            let folder = URL(fileURLWithPath: vectors)
            let inner = folder.appendingPathComponent("cases")
            let isOuter = FileManager.default.fileExists(atPath: inner.path)
            let cases = isOuter ? inner : folder
            let server = VectorServer(try VectorCase.load(from: cases), try VectorAdvice.load(besideCases: cases))
            let port = ListenAddress(listen)?.port ?? 0
            if port != 0, let code = FreePort.problem(host: "127.0.0.1", port: port) {
                throw ListenError(code, of: ListenAddress(host: "127.0.0.1", port: port), "--listen")
            }
            let address = try await server.start(port: port)
            if let portFile {
                do {
                    try Data("\(address)\n".utf8).write(to: URL(fileURLWithPath: portFile), options: .atomic)
                } catch {
                    throw SystemFailure(error, doing: "write \(portFile)")
                }
            } else {
                // At once, not when a buffer is full: a program that waits for the line reads it from a pipe.
                try StandardOutput.answer(address)
            }
            guard !untilInputCloses else { return await Self.inputToClose() }
            while true { try await Task.sleep(for: .seconds(86_400)) }
        }

        /// Waits on a thread of its own: reading blocks, and the pool's threads answer requests.
        private static func inputToClose() async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    while !FileHandle.standardInput.availableData.isEmpty {}
                    continuation.resume()
                }
            }
        }
    }
}
