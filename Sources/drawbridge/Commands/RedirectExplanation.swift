import Bridge
import OAuth2

/// What a redirect policy makes of a value, as one line of JSON.
struct RedirectExplanation {
    let policy: ReturnPathPolicy
    /// Put in front of the path; empty for the path alone.
    let origin: String

    func line(for input: [UInt8]) -> String {
        switch policy.decide(input) {
        case .accepted(let path):
            return "{\"accepted\":true,\"location\":\(JSONText.quoted(origin + path.serialized)),\"reason\":null}"
        case .refused(let refusal):
            let landing = policy.defaultPath.map { JSONText.quoted(origin + $0.serialized) } ?? "null"
            return "{\"accepted\":false,\"location\":\(landing),\"reason\":\(JSONText.quoted(refusal.rawValue))}"
        }
    }
}
