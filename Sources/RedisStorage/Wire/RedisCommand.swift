import CHiredis
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
    func encode(into buffer: inout ByteBuffer) throws(RedisConnectionError) {
        var bytes: [CChar] = []
        bytes.reserveCapacity(arguments.reduce(0) { $0 + $1.utf8.count } + 1)
        var lengths: [Int] = []
        lengths.reserveCapacity(arguments.count)
        for argument in arguments {
            let before = bytes.count
            for byte in argument.utf8 { bytes.append(CChar(bitPattern: byte)) }
            lengths.append(bytes.count - before)
        }
        // An empty array has no address to point at.
        bytes.append(0)
        let isEncoded = bytes.withUnsafeBufferPointer { bytes -> Bool in
            var position = bytes.baseAddress
            var pointers: [UnsafePointer<CChar>?] = lengths.map { length in
                defer { position = position?.advanced(by: length) }
                return position
            }
            var formatted: UnsafeMutablePointer<CChar>?
            let length = redisFormatCommandArgv(&formatted, Int32(pointers.count), &pointers, lengths)
            guard length > 0, let formatted else { return false }
            defer { redisFreeCommand(formatted) }
            buffer.writeBytes(UnsafeRawBufferPointer(start: formatted, count: Int(length)))
            return true
        }
        guard isEncoded else { throw .protocolError }
    }
}
