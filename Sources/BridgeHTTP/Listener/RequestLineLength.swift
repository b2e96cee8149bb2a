import NIOCore
import OAuth2

/// Looks at the line that a request begins with: the parser says of a header that is too long, or of a method that it
/// does not know, no more than that.
///
/// Requests that are sent together are told apart by the empty line that ends a header. Where a body ends is not seen
/// here: what follows one in the same piece is missed, and the next piece is taken for the beginning of a request.
final class RequestLineLength: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Place {
        case line, fields, behindHeader
    }

    private static let head = Array("HEAD ".utf8)
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let limit: Int
    private var place = Place.line
    private var length = 0
    /// The line's first bytes, which tell the method.
    private var beginning: [UInt8] = []
    /// All of it, where it came in the piece that the parser has in its hands.
    private var whole = ByteBufferView()
    /// Whether the field line that is being read has had nothing yet.
    private var isFieldEmpty = true
    /// What was not looked at of the piece that the parser has in its hands.
    private var rest = ByteBufferView()

    /// Whether the request's target alone is more than the parser takes.
    var isTooLong: Bool { length > limit }
    /// Whether the request is `HEAD`, however it goes on.
    var isHead: Bool { beginning == Self.head }
    /// Whether the line has the form of a request's, whatever its method (RFC 9112 §3); not known of one that came in
    /// several pieces.
    var isRequestLine: Bool {
        let parts = whole.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return parts.count == 3 && !parts[0].isEmpty && parts[0].allSatisfy(Self.isTokenByte) && !parts[1].isEmpty
            && parts[2].starts(with: "HTTP/1.".utf8)
    }

    /// - Parameter limit: the parser's own, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Another request begins.
    /// - Parameter hadBody: whether the one before it had a body.
    func begin(afterBody hadBody: Bool) {
        place = .line
        length = 0
        beginning = []
        whole = ByteBufferView()
        if hadBody { rest = ByteBufferView() }
        look()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        rest = unwrapInboundIn(data).readableBytesView
        look()
        context.fireChannelRead(data)
        rest = ByteBufferView()
        whole = ByteBufferView()
    }

    private func look() {
        if place == .line { readLine() }
        while place == .fields, !rest.isEmpty { readField() }
    }

    private func readLine() {
        // Empty lines before a request are passed over (RFC 9112 §2.2).
        if length == 0 { rest = rest.drop { $0 == Self.lineFeed || $0 == Self.carriageReturn } }
        let (line, hasEnded) = takeLine()
        if length == 0, hasEnded { whole = line }
        length += line.count
        beginning += line.prefix(Self.head.count - beginning.count)
        guard hasEnded else { return }
        place = .fields
        isFieldEmpty = true
    }

    private func readField() {
        let (field, hasEnded) = takeLine()
        isFieldEmpty = isFieldEmpty && field.allSatisfy { $0 == Self.carriageReturn }
        guard hasEnded else { return }
        if isFieldEmpty { place = .behindHeader }
        isFieldEmpty = true
    }

    /// A byte of a method's name (RFC 9110 §5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// What is left of a line, without the line feed that ends it.
    private func takeLine() -> (bytes: ByteBufferView, hasEnded: Bool) {
        guard let end = rest.firstIndex(of: Self.lineFeed) else {
            defer { rest = ByteBufferView() }
            return (rest, false)
        }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return (line, true)
    }
}
