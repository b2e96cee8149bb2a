import ArgumentParser
import DrawbridgeClient
import Foundation

/// What a script can tell from the exit status.
enum ExitStatus: Int32 {
    case failed = 1
    case notSignedIn = 3
    case refused = 4
    case timedOut = 5
    case unreachable = 6
    /// `EX_USAGE`, as for an option that nobody knows.
    case usage = 64

    init(_ error: ClientError) {
        switch error {
        case .notSignedIn: self = .notSignedIn
        case .refused, .cancelled: self = .refused
        case .timedOut: self = .timedOut
        case .unreachable, .comeBackLater: self = .unreachable
        default: self = .failed
        }
    }

    /// A sign-in without a person that came to nothing: where the provider has no say, what went wrong counts.
    init(_ fallback: SilentFallback) {
        switch fallback {
        case .failed(let error): self.init(error)
        case .nothingShared, .partsDoNotFit, .refused, .notBelieved: self = .notSignedIn
        }
    }

    /// Says what happened on standard error, and ends the process with this status.
    func end(saying words: String) -> ExitCode { ExitCode(rawValue, saying: words) }
}

extension ExitCode {
    /// As ``ExitStatus/end(saying:)``, with a status that another program chose.
    init(_ status: Int32, saying words: String) {
        // Where that cannot be written, the status says it all.
        try? FileHandle.standardError.write(contentsOf: Data("drawbridge-app: \(words)\n".utf8))
        self.init(status)
    }
}
