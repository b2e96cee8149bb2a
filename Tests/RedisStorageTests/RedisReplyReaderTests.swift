import NIOCore
import Testing

@testable import RedisStorage

@Suite struct RedisReplyReaderTests {
    private func replies(_ chunks: [String], byteLimit: Int = 1 << 20) throws -> [RedisReply] {
        let reader = try RedisReplyReader(byteLimit: byteLimit)
        var replies: [RedisReply] = []
        for chunk in chunks {
            try reader.feed(ByteBuffer(string: chunk))
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    private static let sample = "+OK\r\n:42\r\n$-1\r\n*2\r\n$3\r\na\0b\r\n*1\r\n$0\r\n\r\n-OOM too much\r\n*-1\r\n"
    private static let sampleReplies: [RedisReply] = [
        .status("OK"), .integer(42), .null, .array([.bulk([0x61, 0, 0x62]), .array([.bulk([])])]),
        .error(RedisServerError("OOM too much")), .null,
    ]

    @Test func `every kind of reply is read`() throws {
        #expect(try replies([Self.sample]) == Self.sampleReplies)
    }

    @Test func `replies may come byte by byte`() throws {
        #expect(try replies(Self.sample.unicodeScalars.map { String($0) }) == Self.sampleReplies)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n", "?\r\n", "%1\r\n+a\r\n+b\r\n", "$-5\r\n", ":12x\r\n", "*99999999999\r\n",
        "*2147483647\r\n", "*65537\r\n", String(repeating: "*1\r\n", count: 10) + ":1\r\n",
    ])
    func `bytes that are no reply are an error`(text: String) {
        #expect(throws: RedisConnectionError.protocolError) { try replies([text]) }
    }

    @Test func `a reply larger than the limit is an error, and many small ones are none`() throws {
        #expect(throws: RedisConnectionError.replyTooLarge) {
            try replies(["$2000\r\n", String(repeating: "x", count: 1000)], byteLimit: 500)
        }
        #expect(throws: RedisConnectionError.replyTooLarge) {
            try replies(["*100\r\n"] + [String](repeating: "+0123456789\r\n", count: 99), byteLimit: 500)
        }
        #expect(try replies([String](repeating: "+0123456789\r\n", count: 200), byteLimit: 100).count == 200)
    }

    @Test func `a refusal prints its code and nothing of what was sent`() {
        let wrong = "Redis refused a command: WRONGPASS (the user or the password is wrong)"
        #expect("\(RedisServerError("WRONGPASS invalid hunter2"))" == wrong)
        #expect("\(RedisServerError("MOVED 3999 hunter2"))" == "Redis refused a command: MOVED")
        #expect(!"\(RedisServerError("hunter2"))".contains("hunter2"))
    }

    @Test(arguments: [
        ("ERR Error running script (call to f_0): @user_script:1: -OOM command not allowed.", "OOM"),
        ("ERR The user executing the script can't run this command or subcommand script: 0", "NOPERM"),
        ("ERR unknown command", "ERR"),
    ])
    func `why a script was refused is told although ERR stands before it`(line: String, word: String) {
        #expect("\(RedisServerError(line))".hasPrefix("Redis refused a command: \(word)"))
    }

    @Test func `a replica says so in a script too, before Redis 7 behind a word of its own`() {
        let behind = "ERR Error running script (call to f_0): @user_script:1: -READONLY You can't write."
        #expect(RedisServerError(behind).isReadOnly)
        #expect(RedisServerError("READONLY You can't write against a read only replica.").isReadOnly)
        #expect(!RedisServerError("ERR unknown command").isReadOnly)
    }

    @Test func `a command is an array of bulk strings`() {
        var buffer = ByteBuffer()
        RedisCommand("SET", "", "ü\0").encode(into: &buffer)
        #expect(String(buffer: buffer) == "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$3\r\nü\0\r\n")
    }

    /// A command's bytes, as they are when each length is made to text.
    private static func bytes(of arguments: [String]) -> [UInt8] {
        let texts = ["*\(arguments.count)\r\n"] + arguments.map { "$\($0.utf8.count)\r\n\($0)\r\n" }
        return texts.flatMap { Array($0.utf8) }
    }

    private static let hostile: [[String]] = [
        [], [""], ["", "", ""], ["\r\n"], ["$3\r\nGET\r\n", "*1\r\n$8\r\nFLUSHALL\r\n"], ["\0", "\n\r", "*", "$-1"],
        ["e\u{301}", "\u{e9}", "👩‍👩‍👧\r"],
    ]

    @Test(arguments: hostile)
    func `a command tells the length of every argument, whatever stands in it`(arguments: [String]) {
        var buffer = ByteBuffer(string: "before")
        for _ in 1...2 { RedisCommand(arguments).encode(into: &buffer) }
        let command = Self.bytes(of: arguments)
        #expect(Array(buffer.readableBytesView) == Array("before".utf8) + command + command)
    }

    @Test(arguments: [1, 9, 10, 11, 99, 100, 101, 999, 1000, 65_536, 100_000])
    func `a command tells long arguments and many in full`(count: Int) {
        for arguments in [[String(repeating: "x", count: count)], [String](repeating: "x", count: count)] {
            var buffer = ByteBuffer()
            RedisCommand(arguments).encode(into: &buffer)
            #expect(Array(buffer.readableBytesView) == Self.bytes(of: arguments))
        }
    }
}
