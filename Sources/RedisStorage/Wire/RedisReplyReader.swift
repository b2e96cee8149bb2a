import CHiredis
import NIOCore

/// Parses the bytes of one connection with hiredis. Belongs to one channel handler and is used on its event loop only.
final class RedisReplyReader {
    /// Our longest reply is a slot map; hiredis itself would allocate for any number up to 2³¹.
    private static let elementLimit: Int32 = 65_536

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let byteLimit: Int
    /// Bytes of the reply that is not complete yet.
    private var unfinishedBytes = 0

    /// - Parameter byteLimit: how many bytes of one reply may be buffered; hiredis has no limit of its own.
    init(byteLimit: Int) throws(RedisConnectionError) {
        guard let reader = redisReaderCreate(), let defaults = reader.pointee.fn else { throw .protocolError }
        functions = .allocate(capacity: 1)
        functions.initialize(to: defaults.pointee)
        // A C function captures nothing, so the replaced function is found through the task.
        functions.pointee.createArray = { task, count in
            guard count <= RedisReplyReader.elementLimit,
                let defaults = task?.pointee.privdata?.assumingMemoryBound(to: redisReplyObjectFunctions.self)
            else { return nil }
            return defaults.pointee.createArray(task, count)
        }
        reader.pointee.privdata = UnsafeMutableRawPointer(defaults)
        reader.pointee.fn = functions
        self.reader = reader
        self.byteLimit = byteLimit
    }

    deinit {
        redisReaderFree(reader)
        functions.deinitialize(count: 1)
        functions.deallocate()
    }

    func feed(_ buffer: ByteBuffer) throws(RedisConnectionError) {
        unfinishedBytes += buffer.readableBytes
        let status = buffer.withUnsafeReadableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { redisReaderFeed(reader, $0.baseAddress, $0.count) }
        }
        guard status == REDIS_OK else { throw .protocolError }
    }

    /// The next complete reply; `nil` when more bytes are needed.
    /// - Throws: when the bytes are not RESP2 or too many. The connection is of no use then: where the next reply
    ///   begins is unknown.
    func next() throws(RedisConnectionError) -> RedisReply? {
        var found: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &found) == REDIS_OK else { throw .protocolError }
        guard let found else {
            guard unfinishedBytes <= byteLimit else { throw .replyTooLarge }
            return nil
        }
        defer { freeReplyObject(found) }
        unfinishedBytes = reader.pointee.len - reader.pointee.pos
        return RedisReply(found.assumingMemoryBound(to: redisReply.self).pointee)
    }
}

extension RedisReply {
    /// hiredis limits the nesting to seven, so the recursion is bounded.
    fileprivate init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_STATUS: self = .status(String(decoding: reply.bytes, as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .error(RedisServerError(String(decoding: reply.bytes, as: UTF8.self)))
        case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
        case REDIS_REPLY_STRING: self = .bulk(Array(reply.bytes))
        case REDIS_REPLY_ARRAY:
            self = .array(
                UnsafeBufferPointer(start: reply.element, count: reply.elements).map { element in
                    element.map { RedisReply($0.pointee) } ?? .null
                })
        default: self = .null
        }
    }
}

extension redisReply {
    fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: str, count: len) }
}
