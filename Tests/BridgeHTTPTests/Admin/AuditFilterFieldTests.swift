import Bridge
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct AuditFilterFieldTests {
    @Test(arguments: [
        ("type=foo", "type"), ("outcome=maybe", "outcome"), ("from=soon", "from"), ("to=soon", "to"),
        ("from=2026-11-21T07:00:00Z&to=2026-11-20T07:00:00Z", "to"), ("ip=nowhere", "ip"),
        ("reason=\(String(repeating: "x", count: AdminAction.reasonLimit + 1))", "reason"),
    ])
    func `a filter that is not understood names its field`(_ query: String, _ field: String) throws {
        let fields = try FormParameters(parsing: query.utf8)
        let error = #expect(throws: OAuthError.self) { _ = try AuditFilterReader.filter(fields) }
        #expect(error?.problems?.map(\.field) == [field])
    }
}
