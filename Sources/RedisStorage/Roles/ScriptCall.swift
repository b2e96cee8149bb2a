/// A script that runs on one key.
struct ScriptCall: Sendable {
    struct Script: Sendable {
        let text: String
        let digest: String
    }

    let script: Script
    let key: String
    let arguments: [String]

    var byDigest: RedisCommand { RedisCommand(["EVALSHA", script.digest, "1", key] + arguments, key: key) }
    var byText: RedisCommand { RedisCommand(["EVAL", script.text, "1", key] + arguments, key: key) }
}

extension RedisClient {
    /// Runs scripts in one round trip. A server that was restarted or just took over does not know them; sending the
    /// text teaches it.
    func run(_ calls: [ScriptCall]) async throws -> [RedisReply] {
        var replies = try await send(calls.map(\.byDigest))
        let unknown = replies.indices.filter { replies[$0].serverError?.code == "NOSCRIPT" }
        if !unknown.isEmpty {
            for (index, reply) in zip(unknown, try await send(unknown.map { calls[$0].byText })) {
                replies[index] = reply
            }
        }
        return replies
    }
}
