import Foundation
import SQLStorage

// What the stores can do by themselves; the scripts in bench/ start throwaway servers for it.

let usage = """
    usage: bench-storage commits postgres://… | FILE.sqlite [SECONDS]
           bench-storage redis redis://… [SECONDS]
           bench-storage migrate postgres://…
           bench-storage large postgres://… SESSIONS SUBJECTS [SECONDS]

    """
let words = Array(CommandLine.arguments.dropFirst())

func seconds(at index: Int) -> Duration { .seconds(words.count > index ? Int(words[index]) ?? 3 : 3) }

switch words.first {
case "commits" where words.count > 1: try await CommitRates.measure(words[1], for: seconds(at: 2))
case "redis" where words.count > 1: try await RedisRates.measure(words[1], for: seconds(at: 2))
case "migrate" where words.count > 1:
    try await PostgresStorage.open(try PostgresAddress(words[1]), node: "bench", signer: UnsignedCheckpoints()).close()
case "large" where words.count > 3:
    try await LargeLookups(
        words[1], sessions: Int(words[2]) ?? 1, subjects: Int(words[3]) ?? 1, for: seconds(at: 4)
    ).measure()
default:
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
