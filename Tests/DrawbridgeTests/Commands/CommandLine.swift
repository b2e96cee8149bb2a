import ArgumentParser
import Foundation
import Synchronization
import Testing

@testable import drawbridge

/// A command line that was run in this process, with streams of its own.
struct RanCommand {
    let output: String
    let errors: String
    /// The status that the process would end with.
    let status: Int32
    /// Why it failed, as the person who asked is told; empty when it did not.
    let reason: String

    var lines: [Substring] { output.split(separator: "\n") }

    /// - Parameters:
    ///   - input: what comes on the standard input.
    ///   - bytes: what comes behind it, be it text or not.
    ///   - outputIsClosed: nobody takes the output, as after `>&-` or with a full disk.
    ///   - isWatched: a person watches the stream of errors.
    init(
        _ words: [String], input: String = "", bytes: [UInt8] = [], outputIsClosed: Bool = false,
        isWatched: Bool = false
    ) async {
        let told = Mutex<(output: [UInt8], errors: String)>(([], ""))
        let input = Array(input.utf8) + bytes
        let rest = Mutex(input.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast(input.isEmpty ? 1 : 0))
        let streams = StandardStreams(
            output: { bytes in
                guard !outputIsClosed else { throw SystemFailure(code: EBADF, doing: "write to standard output") }
                told.withLock { $0.output += bytes }
            },
            errors: { text in told.withLock { $0.errors += text } },
            line: { rest.withLock { $0.popFirst().map(Array.init) } },
            rest: {
                rest.withLock { lines in
                    defer { lines = [] }
                    return Data(lines.joined(separator: [0x0A]))
                }
            },
            isTerminal: { false }, isWatched: { isWatched }, isOutputSeen: { false })
        var failure: (any Error)?
        do {
            try await StandardStreams.$current.withValue(streams) { try await Self.run(words) }
        } catch {
            failure = error
        }
        output = told.withLock { String(decoding: $0.output, as: UTF8.self) }
        errors = told.withLock { $0.errors }
        status = failure.map { Drawbridge.exitCode(for: $0).rawValue } ?? 0
        reason = failure.map { Drawbridge.message(for: $0) } ?? ""
    }

    /// Runs what the test needs to have been done before.
    static func prepare(_ words: [String], input: String = "") async throws {
        let ran = await RanCommand(words, input: input)
        try #require(ran.status == 0, "\(words): \(ran.reason)")
    }

    private static func run(_ words: [String]) async throws {
        var command = try Drawbridge.parseAsRoot(words)
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
