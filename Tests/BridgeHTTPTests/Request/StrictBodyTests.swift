import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2
import Testing

@testable import BridgeHTTP

/// Bodies whose every member must be known (contract §3, §16.4).
@Suite struct StrictBodyTests {
    private static func request(_ type: String?, _ body: String) -> Request {
        var head = HTTPRequest(method: .post, scheme: "https", authority: "bridge.example", path: "/api/xd/code")
        head.headerFields[.contentType] = type
        return Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
    }

    @Test(arguments: [nil, "text/plain", "application/json", "application/x-www-form-urlencoded"] as [String?])
    func `an empty body is none, whatever type it is said to have`(type: String?) async throws {
        let approval = try await ApprovalRequestReader.read(Self.request(type, ""), knowing: ["txn"])
        #expect(approval.isEmpty)
        let issue = try await IssueRequestReader.read(Self.request(type, ""))
        #expect(issue.targetClientID == nil)
    }

    @Test func `of several unknown members the first by name is told`() async throws {
        let body = #"{"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1,"txn":"t"}"#
        let refused = await #expect(throws: OAuthError.self) {
            _ = try await ApprovalRequestReader.read(Self.request("application/json", body), knowing: ["txn"])
        }
        #expect(refused?.publicDescription == "\"a\" is not a member of this body; known: txn")
    }
}
