import ArgumentParser
import Foundation
import SelfIssuedIdP

/// What a script can tell from the exit status.
enum ExitStatus: Int32 {
    case badLink = 2
    case network = 3
    case refused = 4
    /// Something of this machine cannot be used: keys, PIN, profile or the output.
    case store = 5
    case declined = 10
    /// `EX_USAGE`, as for an option that nobody knows.
    case usage = 64

    init(_ stage: PhoneRefusal.Stage) {
        switch stage {
        case .link: self = .badLink
        case .network: self = .network
        case .request: self = .refused
        case .store: self = .store
        }
    }

    /// Says what happened on standard error, and ends the process with this status.
    func end(saying words: String) -> ExitCode {
        Terminal.say("drawbridge-phone: \(words)")
        return ExitCode(rawValue)
    }

    /// Runs a command's work and turns its refusal into words and a status.
    static func after<Value>(_ work: () async throws(PhoneRefusal) -> Value) async throws -> Value {
        let refusal: PhoneRefusal
        do throws(PhoneRefusal) {
            return try await work()
        } catch let thrown {
            refusal = thrown
        }
        throw ExitStatus(refusal.reason.stage).end(saying: "\(refusal)")
    }
}
