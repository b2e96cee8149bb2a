import Bridge
import Foundation
import OAuth2
import Testing

/// Contract §14.
@Suite struct ClientDocumentTests {
    private func decode(_ json: String) throws -> Client {
        try JSONDecoder().decode(ClientDocument.self, from: Data(json.utf8)).client
    }

    @Test func `a full document reads back as it was written`() throws {
        for client in try testClients() {
            let json = try JSONEncoder().encode(ClientDocument(client))
            #expect(try JSONDecoder().decode(ClientDocument.self, from: json).client == client)
        }
    }

    @Test func `what the provider adds reads back as it was written`() throws {
        let client = try decode(
            #"""
            {"client_id":"a","client_type":"native","userinfo_signed_response_alg":"RS256","require_pushed_authorization_requests":true,
             "block_webviews":true,"reject_reused_challenge":true,"may_introspect":"own",
             "accepts_endpoint_audience":true,
             "native_sso_enabled":true,"device_secret_without_scope":true}
            """#)
        #expect(client.getsDeviceSecretWithoutScope)
        #expect(client.userInfoAlgorithm == .rs256 && client.requiresPushedRequests && client.blocksWebViews)
        #expect(client.rejectsReusedChallenge && client.introspection == .own && client.acceptsEndpointAudience)
        let json = try JSONEncoder().encode(ClientDocument(client))
        #expect(try JSONDecoder().decode(ClientDocument.self, from: json).client == client)
    }

    @Test(arguments: ["public_origin", "initiate_login_uri"])
    func `a client that was stored with an origin as no browser sends it is read, and none is taken`(
        field: String
    ) throws {
        let address = "https://[2001:DB8::1]" + (field == "public_origin" ? "" : "/login")
        let document = #"{"client_id":"a","client_type":"web","\#(field)":"\#(address)"}"#
        #expect(throws: ClientDocumentError.self) { try decode(document) }
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(document.utf8)).client
        #expect((stored.publicOrigin?.description ?? stored.initiateLoginURI) == address)
    }

    @Test func `what is left out has the defaults of the contract`() throws {
        let client = try decode(#"{"client_id":"a","client_type":"native"}"#)
        #expect(client.kind == .native && client.name == "a" && !client.canIssueLoginTokens && client.mayReach.isEmpty)
        #expect(client.redeemMode == .direct && client.replayResponse == .endSession)
        #expect(client.sessionLifetime == .seconds(43_200) && client.sessionIdle == .seconds(1800))
    }

    @Test(arguments: [
        ("native", Client.Introspection.own), ("web", .own), ("service", .any),
    ])
    func `only a service may ask about the tokens of others without a word`(
        kind: String, may: Client.Introspection
    ) throws {
        #expect(try decode(#"{"client_id":"a","client_type":"\#(kind)"}"#).introspection == may)
        let asked = try decode(#"{"client_id":"a","client_type":"\#(kind)","may_introspect":"any"}"#)
        #expect(asked.introspection == .any)
        let json = try JSONEncoder().encode(ClientDocument(asked))
        #expect(try JSONDecoder().decode(ClientDocument.self, from: json).client == asked)
    }

    @Test(arguments: [#"a\nb"#, #"a\u0000b"#, #"a\u001Bb"#, "a\u{202E}b", "a\u{2028}b", "a\u{2066}b"])
    func `a name is one line that reads as it is written, but for one that is stored already`(name: String) throws {
        let json = #"{"client_id":"a","client_type":"native","client_name":"\#(name)"}"#
        let error = #expect(throws: ClientDocumentError.self) { try decode(json) }
        #expect(error?.problems.map(\.field) == ["client_name"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(json.utf8)).client
        #expect(stored.id == "a")
        // What joins letters is no mark of direction.
        let joined = try decode(#"{"client_id":"a","client_type":"native","client_name":"b\u200Cc"}"#)
        #expect(joined.name == "b\u{200C}c")
    }

    @Test(arguments: [".", ".."])
    func `RFC 3986 §5.2.4: an id is no dot segment, but for one that is stored already`(id: String) throws {
        let json = #"{"client_id":"\#(id)","client_type":"native"}"#
        let error = #expect(throws: ClientDocumentError.self) { try decode(json) }
        #expect(error?.problems.map(\.field) == ["client_id"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(json.utf8)).client
        #expect(stored.id.rawValue == id)
        #expect(try decode(#"{"client_id":"\#(id)a","client_type":"native"}"#).id.rawValue == id + "a")
    }

    @Test func `a short session life shortens the idle default`() throws {
        #expect(
            try decode(#"{"client_id":"a","client_type":"native","session_lifetime":120}"#).sessionIdle == .seconds(120)
        )
    }

    @Test(arguments: [
        (#"{"client_type":"native"}"#, "client_id"), (#"{"client_id":"","client_type":"native"}"#, "client_id"),
        (#"{"client_id":"a b","client_type":"native"}"#, "client_id"),
        (#"{"client_id":7,"client_type":"native"}"#, "client_id"), (#"{"client_id":"a"}"#, "client_type"),
        (#"{"client_id":"a","client_type":"native","colour":"red"}"#, "colour"),
        (#"{"client_id":"a","client_type":"desktop"}"#, "client_type"),
        (#"{"client_id":"a","client_type":"native","can_issue_login_tokens":"yes"}"#, "can_issue_login_tokens"),
        (#"{"client_id":"a","client_type":"web","can_issue_login_tokens":true}"#, "can_issue_login_tokens"),
        (#"{"client_id":"a","client_type":"native","may_reach":"b"}"#, "may_reach"),
        (#"{"client_id":"a","client_type":"native","public_origin":"http://www.example.com"}"#, "public_origin"),
        (#"{"client_id":"a","client_type":"native","public_origin":"https://www.example.com/"}"#, "public_origin"),
        (#"{"client_id":"a","client_type":"native","return_paths":["/a"]}"#, "default_return_path"),
        (#"{"client_id":"a","client_type":"native","default_return_path":"/a"}"#, "return_paths"),
        (
            #"{"client_id":"a","client_type":"native","return_paths":["/a"],"default_return_path":"/b"}"#,
            "default_return_path"
        ),
        (#"{"client_id":"a","client_type":"native","return_paths":["a"],"default_return_path":"/a"}"#, "return_paths"),
        (
            #"{"client_id":"a","client_type":"native","return_paths":["/a"],"default_return_path":"a"}"#,
            "default_return_path"
        ),
        (#"{"client_id":"a","client_type":"native","return_paths":["/*"],"default_return_path":"/b"}"#, "return_paths"),
        (#"{"client_id":"a","client_type":"native","session_lifetime":59}"#, "session_lifetime"),
        (#"{"client_id":"a","client_type":"native","session_lifetime":"1h"}"#, "session_lifetime"),
        (#"{"client_id":"a","client_type":"native","session_lifetime":60,"session_idle":61}"#, "session_idle"),
        (#"{"client_id":"a","client_type":"native","redeem":"always"}"#, "redeem"),
        (#"{"client_id":"a","client_type":"native","on_replay":null}"#, "on_replay"),
        (#"{"client_id":"a","client_type":"native","client_name":""}"#, "client_name"),
        (
            #"{"client_id":"a","client_type":"native","userinfo_signed_response_alg":"none"}"#,
            "userinfo_signed_response_alg"
        ),
        (
            #"{"client_id":"a","client_type":"native","userinfo_signed_response_alg":"HS256"}"#,
            "userinfo_signed_response_alg"
        ),
        (
            #"{"client_id":"a","client_type":"native","require_pushed_authorization_requests":"yes"}"#,
            "require_pushed_authorization_requests"
        ),
        (
            #"{"client_id":"a","client_type":"native","device_secret_without_scope":true}"#,
            "device_secret_without_scope"
        ),
        (#"{"client_id":"a","client_type":"native","block_webviews":1}"#, "block_webviews"),
        (#"{"client_id":"a","client_type":"native","reject_reused_challenge":"x"}"#, "reject_reused_challenge"),
        (#"{"client_id":"a","client_type":"native","accepts_endpoint_audience":"x"}"#, "accepts_endpoint_audience"),
        (#"{"client_id":"a","client_type":"native","may_introspect":"all"}"#, "may_introspect"),
    ])
    func `an unknown or malformed field is refused by name`(json: String, field: String) throws {
        let error = #expect(throws: ClientDocumentError.self) { try decode(json) }
        #expect(error?.problems.map(\.field) == [field])
        #expect(error.map { "\($0)".hasPrefix(field) } == true)
    }

    @Test(arguments: ["x", "https://www.example.com/x", "//evil.example"])
    func `contract §14: a default path that is none is named, and so is the list that is missing`(path: String) throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(#"{"client_id":"a","client_type":"web","default_return_path":"\#(path)"}"#)
        }
        #expect(error?.problems.map(\.field) == ["default_return_path", "return_paths"])
    }

    @Test(arguments: [
        ("contacts", "write /contacts"), ("contacts/", "write /contacts/"), ("b/*", "write /b/*"),
        ("b/c.html", "write /b/c.html"), ("/orders/**", "write /orders/*"),
        ("", "a path such as"), ("*", "a path such as"), ("/**", "a path such as"), ("/a/*/b", "a path such as"),
        ("/a?b", "no query"), ("//evil.example/", "a path such as"),
        ("www.example.com/contacts", "without an origin"), ("https://www.example.com/contacts", "without an origin"),
        ("https://evil.example/", "without an origin"), ("localhost:8080/*", "without an origin"),
    ])
    func `what is no path entry is told with what to write`(entry: String, remedy: String) throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(
                #"{"client_id":"a","client_type":"web","return_paths":["\#(entry)"],"default_return_path":"/b"}"#)
        }
        let told = try #require(error.map { "\($0)" })
        let problem = "holds \(entry.debugDescription), which is not a path entry: "
        let remark = told[try #require(told.firstRange(of: problem)).upperBound...]
        #expect(remark.contains(remedy) && remark.contains("write ") == remedy.hasPrefix("write "))
    }

    @Test func `a client's origin that browsers spell in another way is told with how to write it`() throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(#"{"client_id":"a","client_type":"web","public_origin":"https://Shop.example.com:443"}"#)
        }
        let told = try #require(error.map { "\($0)" })
        let form = "written in lower case and without the default port :443, as browsers send it: "
        #expect(told.contains("must be \(form)https://shop.example.com"))
    }

    @Test func `any path is allowed when the document says that it is meant`() throws {
        let client = try decode(
            #"{"client_id":"a","client_type":"native","return_paths":["/*"],"default_return_path":"/b","allow_any_path":true}"#
        )
        #expect(client.returnPaths.entries == [.anyPath])
        let json = try JSONEncoder().encode(ClientDocument(client))
        #expect(try JSONDecoder().decode(ClientDocument.self, from: json).client == client)
    }

    @Test(arguments: ["/a?b", "/a*b", "a", "", "//a", "/a/../b", "/caf%C3%A9/*", "/a;b/*", "/a#b", "/a b", "*"])
    func `an entry that breaks the rules for paths is no entry`(text: String) {
        #expect(ReturnPathEntry(text) == nil)
    }

    @Test func `a directory gives clients by id, the later of two with one id`() throws {
        let directory = ClientDirectory(
            try testClients() + [Client(id: app, name: "Second", kind: .native)], defaultTarget: website)
        #expect(directory[app]?.name == "Second")
        #expect(directory["nobody"] == nil)
        #expect(directory.all.map(\.id.rawValue) == directory.all.map(\.id.rawValue).sorted())
        #expect(directory.defaultTarget == website)
    }
}
