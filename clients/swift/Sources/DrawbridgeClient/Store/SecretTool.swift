#if os(Linux)
    import Foundation

    /// Runs libsecret's command `secret-tool`.
    struct SecretTool: Sendable {
        /// What a run said.
        struct Outcome: Sendable {
            let status: Int32
            let output: String
            let complaint: String
        }

        let path: String
        private let environment: [String: String]

        /// The tool on the search path; `nil` when it is not installed.
        init?(environment: [String: String]) {
            let folders = (environment["PATH"] ?? "").split(separator: ":")
            let found = folders.lazy.map { "\($0)/secret-tool" }
                .first { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }
            guard let found else { return nil }
            path = found
            self.environment = environment
        }

        /// On a thread of its own: the service may ask its user to unlock, and that takes as long as it takes.
        func run(_ arguments: [String], input: Redacted<String>? = nil) async throws(ClientError) -> Outcome {
            let result = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: runAndWait(arguments, input)) }
            }
            return try result.get()
        }

        private func runAndWait(_ arguments: [String], _ input: Redacted<String>?) -> Result<Outcome, ClientError> {
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            process.environment = environment
            let (standardInput, output, complaint) = (Pipe(), Pipe(), Pipe())
            process.standardInput = standardInput
            process.standardOutput = output
            process.standardError = complaint
            do {
                try process.run()
                if let input { try standardInput.fileHandleForWriting.write(contentsOf: Data(input.expose().utf8)) }
                try standardInput.fileHandleForWriting.close()
            } catch {
                return .failure(.secretStore("secret-tool cannot be run"))
            }
            // Secrets and complaints are shorter than a pipe's buffer, so the one after the other does not block.
            let said = (try? output.fileHandleForReading.readToEnd()) ?? nil
            let complained = (try? complaint.fileHandleForReading.readToEnd()) ?? nil
            process.waitUntilExit()
            return .success(
                Outcome(
                    status: process.terminationStatus, output: String(decoding: said ?? Data(), as: UTF8.self),
                    complaint: String(decoding: complained ?? Data(), as: UTF8.self)))
        }
    }
#endif
