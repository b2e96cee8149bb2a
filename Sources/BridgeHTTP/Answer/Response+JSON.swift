import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

extension Response {
    /// A JSON answer, never cached.
    static func json(_ body: JSONObjectWriter, status: HTTPResponse.Status = .ok) -> Response {
        json(bytes: body.finish(), status: status)
    }

    /// JSON that is already written, never cached.
    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
