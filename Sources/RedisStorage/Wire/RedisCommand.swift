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
        buffer.writeString("*\(arguments.count)\r\n")
        for argument in arguments {
            buffer.writeString("$\(argument.utf8.count)\r\n")
            buffer.writeString(argument)
            buffer.writeString("\r\n")
        }
    }
}
