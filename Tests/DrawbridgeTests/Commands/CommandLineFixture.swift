/// A suite that runs command lines on settings of its own.
protocol CommandLineFixture {
    var folder: TemporaryFolder { get }
    /// The path of the settings file.
    var config: String { get }
}

extension CommandLineFixture {
    func run(_ words: String..., input: String = "") async -> RanCommand { await run(words, input: input) }

    func run(
        _ words: [String], input: String = "", bytes: [UInt8] = [], outputIsClosed: Bool = false,
        isWatched: Bool = false
    ) async -> RanCommand {
        await RanCommand(
            words + ["--config", config], input: input, bytes: bytes, outputIsClosed: outputIsClosed,
            isWatched: isWatched)
    }

    /// Runs what the test needs to have been done before.
    func prepare(_ word: String, _ more: String..., input: String = "") async throws {
        try await prepare([word] + more, input: input)
    }

    func prepare(_ words: [String], input: String = "") async throws {
        try await RanCommand.prepare(words + ["--config", config], input: input)
    }
}

extension TemporaryFolder {
    /// Writes a settings file with what has to be said, and returns its path.
    /// - Parameter more: further lines.
    func commandSettings(_ more: String = "") throws -> String {
        try file("drawbridge.yaml", "public_origin: https://www.example.com\ndata_directory: data\n\(more)")
    }
}
