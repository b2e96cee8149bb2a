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
        let approval = try await TextMembers.read(Self.request(type, ""), knowing: ["txn"])
        #expect(approval.isEmpty)
        let issue = try await IssueRequestReader.read(Self.request(type, ""))
        #expect(issue.targetClientID == nil)
    }

    @Test func `of several unknown members the first by name is told`() async throws {
        let body = #"{"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1,"txn":"t"}"#
        let refused = await #expect(throws: OAuthError.self) {
            _ = try await TextMembers.read(Self.request("application/json", body), knowing: ["txn"])
        }
        #expect(refused?.publicDescription == "\"a\" is not a member of this body; known: txn")
    }

    @Test func `only members that may be flags may be a boolean or a number`() async throws {
        let body = #"{"loud":true,"report":1,"txn":"t"}"#
        let names: Set = ["loud", "report", "txn"]
        let fields = try await TextMembers.read(
            Self.request("application/json", body), knowing: names, flags: ["loud", "report"])
        #expect(fields == ["loud": "true", "report": "1", "txn": "t"])
        let refused = await #expect(throws: OAuthError.self) {
            _ = try await TextMembers.read(
                Self.request("application/json", body), knowing: names, flags: ["loud"])
        }
        #expect(refused?.publicDescription == "report has the wrong type")
    }

    private static let form = "application/x-www-form-urlencoded"

    static let badForms = [
        ("client_id=a&client_id=a", "client_id is repeated"), ("client_id=&client_id=a", "client_id is repeated"),
        ("client_id=%ff", "client_id is not UTF-8"), ("client_id=%f", "the parameters are not form-url-encoded"),
        ("other=1&client_id=a&client_id=a", "\"other\" is not a member of this body"),
        ("client_id=a&%ff=1", "one of the names is not a member of this body"),
    ]

    @Test(arguments: badForms)
    func `forms are read by the same rules everywhere`(body: String, problem: String) async throws {
        let approval = await #expect(throws: OAuthError.self) {
            _ = try await TextMembers.read(Self.request(Self.form, body), knowing: ["client_id"])
        }
        let issue = await #expect(throws: OAuthError.self) {
            _ = try await IssueRequestReader.read(Self.request(Self.form, body))
        }
        for refused in [approval, issue] { #expect(refused?.publicDescription?.hasPrefix(problem) == true) }
    }

    @Test func `what is empty in a form counts as absent`() async throws {
        let approval = try await TextMembers.read(
            Self.request(Self.form, "user_code=&txn=b"), knowing: ["user_code", "txn"])
        #expect(approval == ["txn": "b"])
        let issue = try await IssueRequestReader.read(Self.request(Self.form, "client_id=&ttl=5&redirect=%2F%ff"))
        #expect(issue.targetClientID == nil && issue.ttl == 5 && issue.redirect == Array("/".utf8) + [0xFF])
    }
}
