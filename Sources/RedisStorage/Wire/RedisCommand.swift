import NIOCore

/// One command and the key it is about.
package struct RedisCommand: Sendable {
    package let arguments: [String]
    /// What decides the node in a cluster; `nil` for commands that any node answers.
    package let key: String?

    package init(_ arguments: [String], key: String? = nil) {
        self.arguments = arguments
        self.key = key
    }

    package init(_ arguments: String..., key: String? = nil) {
        self.init(arguments, key: key)
    }

    /// Appends the command as an array of bulk strings.
    func encode(into buffer: inout ByteBuffer) {
        buffer.reserveCapacity(minimumWritableBytes: arguments.reduce(16) { $0 + $1.utf8.count + 16 })
        Self.append(UInt8(ascii: "*"), count: arguments.count, to: &buffer)
        for argument in arguments {
            Self.append(UInt8(ascii: "$"), count: argument.utf8.count, to: &buffer)
            buffer.writeString(argument)
            buffer.writeInteger(Self.lineEnd)
        }
    }

    /// Appends a line such as `*3`, digit by digit: made to text, the counts of a command cost more than its arguments.
    private static func append(_ kind: UInt8, count: Int, to buffer: inout ByteBuffer) {
        buffer.writeInteger(kind)
        var power = 1
        while count / power >= 10 { power *= 10 }
        while power > 0 {
            buffer.writeInteger(UInt8(ascii: "0") + UInt8(count / power % 10))
            power /= 10
        }
        buffer.writeInteger(lineEnd)
    }

    /// CR and LF, in the order of the network.
    private static let lineEnd: UInt16 = 0x0D0A
}
