import Crypto
import OAuth2

/// A script in Lua that changes one key, atomic on the server.
struct RedisScript: Sendable {
    let text: String
    /// The name by which a server that has run the script knows it: SHA-1 in hexadecimal, as `EVALSHA` takes it.
    let digest: String

    init(_ text: String) {
        self.text = text
        digest = HexDigit.encode(Insecure.SHA1.hash(data: Array(text.utf8)))
    }

    /// Lines of a script that make `now` the instant in milliseconds: by the server's clock, so that all nodes go by one;
    /// in tests by an argument of the call.
    static func now(orArgument number: Int) -> String {
        """
        local now = tonumber(ARGV[\(number)])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        """
    }
}

/// A script with what it runs on.
struct ScriptCall: Sendable {
    let script: RedisScript
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
