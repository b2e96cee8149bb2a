import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2
import Testing

@testable import BridgeHTTP

/// Bodies that do not come as they should.
@Suite struct BodyReaderTests {
    private static func request(endingWith error: any Error) -> Request {
        let head = HTTPRequest(method: .post, scheme: "https", authority: "bridge.example", path: "/oauth/token")
        let pieces = AsyncThrowingStream<ByteBuffer, any Error> { stream in
            stream.yield(ByteBuffer(string: "grant_type="))
            stream.finish(throwing: error)
        }
        return Request(head: head, body: RequestBody(asyncSequence: pieces))
    }

    static let breaks: [any Error] = [
        // The peer has reset the connection.
        IOError(errnoCode: 104, reason: "read"), ChannelError.ioOnClosedChannel, ChannelError.inputClosed,
    ]

    @Test(arguments: breaks)
    func `an upload that is cut off is no failure of ours`(error: any Error) async throws {
        let refused = await #expect(throws: OAuthError.self) {
            _ = try await BodyReader.bytes(of: Self.request(endingWith: error))
        }
        #expect(refused?.code == .invalidRequest)
    }

    @Test func `what fails here stays what it is`() async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await BodyReader.bytes(of: Self.request(endingWith: CancellationError()))
        }
    }
}
