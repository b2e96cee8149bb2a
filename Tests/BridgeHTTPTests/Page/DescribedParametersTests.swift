import Bridge
import Foundation
import OAuth2
import Testing

@testable import BridgeHTTP

/// What the description says can be sent to the token side, against what is read there.
@Suite struct DescribedParametersTests {
    /// What an operation of the description takes in its query or in one of its bodies.
    private static func described(
        _ method: String, _ path: String, in place: String = "application/x-www-form-urlencoded"
    ) throws -> Set<String> {
        let text = try #require(EmbeddedFiles.contents["openapi.json"])
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let operation = member(["paths", path, method], of: document)
        guard place != "query" else {
            let parameters = member(["parameters"], of: operation) as? [[String: Any]] ?? []
            return Set(parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String })
        }
        let fields = member(["requestBody", "content", place, "schema", "properties"], of: operation)
        let named = try #require(fields as? [String: Any])
        return Set(named.keys)
    }

    private static func member(_ names: [String], of value: Any?) -> Any? {
        names.reduce(value) { ($0 as? [String: Any])?[$1] }
    }

    /// The parameters that sources read by name.
    /// - Parameter paths: files and folders below `Sources/Bridge`.
    private static func read(in paths: [String], besides others: Set<String> = []) throws -> Set<String> {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/Bridge").standardized
        var names: Set<String> = []
        for path in paths {
            let place = sources.appending(path: path)
            let files =
                path.hasSuffix(".swift")
                ? [place] : try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            for file in files where !others.contains(file.lastPathComponent) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for found in text.matches(of: #/(?:parameters(?:\[|\.bytes\()|required\()"([a-z_]+)"/#) {
                    names.insert(String(found.1))
                }
            }
        }
        return names
    }

    /// How clients say in a form who they are.
    private static func client() throws -> Set<String> {
        let names = try read(in: ["Provider/Proof/ClientCredentials.swift"])
        #expect(names.count == 4)
        return names
    }

    /// Those of an authorization request that can do something for whoever sends them.
    private static let authorization =
        Set(AuthorizationParameter.all + [AuthorizationParameter.resource, AuthorizationParameter.loginToken])
        // Refused whatever they hold.
        .subtracting(["request", "registration"])
        // Passed over: there is one display, and claims are in one language.
        .subtracting(["display", "claims_locales"])

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded"])
    func `a request for a login token is described as it is read`(type: String) throws {
        #expect(try Self.described("post", "/api/auth/create-sso-token", in: type) == Set(IssueRequestReader.members))
    }

    @Test func `an authorization request is described as it is read, by each of its ways`() throws {
        let (asked, posted) = try (
            Self.described("get", "/oauth/authorize", in: "query"), Self.described("post", "/oauth/authorize")
        )
        #expect(asked == Self.authorization.union(["journey", "request_form"]))
        #expect(posted == Self.authorization.union(["journey", "confirm_switch", BrowserForm.tokenField]))
        // A pushed request stands for no other.
        let pushed = try Self.authorization.subtracting(["request_uri"]).union(Self.client())
        #expect(try Self.described("post", "/oauth/par") == pushed)
    }

    @Test func `a token request is described with all that its grants read`() throws {
        let read = try Self.read(
            in: ["Provider/Endpoint", "Provider/DeviceGrant/DeviceCodeGrant.swift", "NativeSSO/Exchange"],
            besides: ["TokenIntrospection.swift", "TokenRevocation.swift"])
        #expect(read.isSuperset(of: ["grant_type", "redirect", "ttl", "bind", "login_code", "device_code"]))
        let all = try read.union(Self.client()).union([AuthorizationParameter.resource])
        #expect(try Self.described("post", "/oauth/token") == all)
    }

    @Test(arguments: [
        ("/oauth/introspect", ["token", "token_type_hint"]),
        ("/oauth/revoke", ["token", "token_type_hint", "device_secret"]),
        ("/oauth/device_authorization", ["scope", AuthorizationParameter.resource]),
    ])
    func `wherever a client shows who it is, each way to do so is described`(path: String, own: [String]) throws {
        #expect(try Self.described("post", path) == Self.client().union(own))
    }

    /// The members of a schema of the description.
    private static func schema(_ name: String) throws -> Set<String> {
        let text = try #require(EmbeddedFiles.contents["openapi.json"])
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let members = member(["components", "schemas", name, "properties"], of: document)
        let named = try #require(members as? [String: Any])
        return Set(named.keys)
    }

    @Test func `the metadata's schema has every member of the document`() throws {
        let document = ProviderMetadata.document(
            issuer: "https://id.example", endpoints: RouteTable.metadata, grantTypes: [], offersNativeSSO: true,
            languages: [])
        let members = try #require(document.object)
        #expect(try Self.schema("ProviderMetadata") == Set(members.keys))
    }

    @Test func `the schema of userinfo has every claim that a scope opens`() throws {
        #expect(try Self.schema("UserInfo") == Set(ScopeClaims.all + ["sub"]))
    }
}
