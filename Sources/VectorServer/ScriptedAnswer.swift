import OAuth2

/// What a request gets, rightly or wrongly.
struct ScriptedAnswer: Sendable {
    /// How the answer goes over the wire.
    enum Manner: Sendable {
        case whole
        /// The connection closes without an answer.
        case dropped
        /// More is announced than sent.
        case truncated
        /// Chunks without the last one.
        case cutChunk
        /// Silence.
        case never
        /// A byte now and then.
        case trickle
        /// A body of so many bytes.
        case huge(Int)
        /// Something that is not HTTP.
        case garbage
    }

    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var manner = Manner.whole
    /// Whether the length of a huge answer is told beforehand; else it ends with the connection.
    var isAnnounced = true
    /// Milliseconds before it is sent, so that requests overlap.
    var hold = 0

    init(code: Int) { status = code }

    init(json: JSONValue, code: Int = 200) {
        status = code
        headers = [("content-type", "application/json"), ("cache-control", "no-store")]
        body = Array(json.text.utf8)
    }

    init(_ answer: [String: JSONValue], _ fill: inout ScriptFill, answering form: FormParameters) {
        status = answer["status"]?.integer.map(Int.init) ?? 200
        if let json = answer["json"] {
            headers = [("content-type", "application/json"), ("cache-control", "no-store")]
            body = Array(fill.value(json, answering: form).text.utf8)
        } else if let text = answer["body"]?.string {
            body = Array(fill.text(text).utf8)
        }
        for (name, value) in answer["headers"]?.object ?? [:] {
            headers.removeAll { $0.name == name }
            for value in value.oneOrMore ?? [] { headers.append((name, fill.text(value))) }
        }
        hold = answer["hold_ms"]?.integer.map(Int.init) ?? 0
        isAnnounced = answer["unannounced"] == nil
        manner = Self.manner(answer)
    }

    private static func manner(_ answer: [String: JSONValue]) -> Manner {
        if answer["drop"] != nil { return .dropped }
        if answer["truncated"] != nil { return .truncated }
        if answer["cut_chunk"] != nil { return .cutChunk }
        if answer["never"] != nil { return .never }
        if answer["trickle"] != nil { return .trickle }
        if answer["garbage"] != nil { return .garbage }
        return answer["huge"]?.integer.map { .huge(Int($0)) } ?? .whole
    }

    /// The bytes to send at once.
    var bytes: [UInt8] {
        switch manner {
        case .whole: head(["content-length: \(body.count)"]) + body
        case .truncated: head(["content-length: \(body.count + 64)"]) + body
        case .cutChunk:
            head(["transfer-encoding: chunked"]) + Array("\(String(body.count, radix: 16))\r\n".utf8) + body
                + Array("\r\n".utf8)
        case .trickle: head(["content-length: 100000"]) + Array("{".utf8)
        case .huge(let count): head(isAnnounced ? ["content-length: \(count)"] : [])
        case .garbage: Array("SSH-2.0-OpenSSH_9.2p1\r\n\r\n".utf8)
        case .dropped, .never: []
        }
    }

    private func head(_ more: [String]) -> [UInt8] {
        // Not where the answer is cut: some clients take the end of a connection that was announced for that of the body.
        let isCut = if case .cutChunk = manner { true } else { false }
        let lines = ["HTTP/1.1 \(status) \(status < 400 ? "OK" : "No")"] + (isCut ? [] : ["connection: close"])
        let fields = headers.map { "\($0.name): \($0.value)" }
        return Array((lines + fields + more).map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8)
    }
}
