import Bridge
import BridgeTestSupport
import Foundation
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

@testable import BridgeHTTP

/// Every route is walked with marker secrets; then everything that was written is searched for them.
@Suite struct LeakTests {
    private static let marker = "SekretMarker"

    private static func walk(_ client: any TestClientProtocol) async throws -> (secrets: Set<String>, answers: [String])
    {
        var secrets: Set<String> = []
        var answers: [String] = []
        let token = try await client.issue(#"{"redirect":"/account/a"}"#)
        secrets.insert(token.token)
        let first = try await client.redeem(token.token)
        secrets.formUnion(first.cookies.values.filter { $0.hasPrefix("dbs_") })
        _ = try await client.redeem(token.token, Visitor.navigation(agent: Visitor.otherBrowser))
        let page = try await client.redeem(client.issue().token, [:])
        secrets.formUnion(page.cookies.values)
        secrets.formUnion(page.fields.filter { $0.0 == "form_token" || $0.0 == "token" }.map(\.1))
        let cookie = try await client.signIn()
        secrets.insert(String(cookie.split(separator: "=")[1]))

        // No marker begins another, or one that is kept would hide one that leaks.
        let poisoned: HTTPFields = [
            .authorization: "Bearer \(marker)21", .cookie: "__Host-drawbridge_session=\(marker)22; x=\(marker)23",
            .name("Drawbridge-Login-Token"): "\(marker)24", .referer: "https://bridge.example/?token=\(marker)25",
            .name("Idempotency-Key"): "\(marker)26", .origin: "https://\(marker)27",
            .contentType: "application/x-www-form-urlencoded",
        ]
        let paths = [
            "/api/auth/create-sso-token", "/api/auth/sso-tokens/\(marker)28", "/login-with-token",
            "/user/login-with-token.php", "/session", "/session/logout", "/session/signed-out", "/auth/check",
            "/errors/\(marker)29", "/assets/\(marker)10", "/.well-known/assetlinks.json", "/\(marker)11/nowhere",
        ]
        for method in [HTTPRequest.Method.get, .post, .head, .put, .delete, .options] {
            for path in paths {
                for agent in ["text/html", "application/json"] {
                    var headers = poisoned
                    headers[.accept] = agent
                    let query = "token=\(marker)12&code_verifier=\(marker)13&redirect=/\(marker)14&acr=\(marker)\""
                    let answer = try await client.send(method, "\(path)?\(query)", headers, body: query)
                    answers.append(answer.text)
                }
            }
        }
        // A name is repeated where it can be one; what is as long as a secret is none.
        let name = marker + "15" + String(repeating: "x", count: 40)
        for body in [
            #"{"\#(name)":1}"#, #"{"ttl":"\#(marker)16"}"#, "{\(marker)17", #"{"redirect":"https://\#(marker)18"}"#,
        ] {
            let answer = try await client.send(
                .post, "/api/auth/create-sso-token",
                [.authorization: "Bearer alice.app", .contentType: "application/json"], body: body)
            answers.append(answer.text)
        }
        return (secrets, answers)
    }

    @Test func `no secret is in a log line, a metric, an error or a column`() async throws {
        try await TestBridge.run { bridge, client in
            let (secrets, answers) = try await Self.walk(client)
            #expect(secrets.count >= 6)
            bridge.accessLog.flush()
            // The write-ahead log and the database file hold every column's bytes as they are.
            var stored = Data()
            for file in try FileManager.default.contentsOfDirectory(at: bridge.folder, includingPropertiesForKeys: nil)
            {
                stored.append(try Data(contentsOf: file))
            }
            #expect(stored.range(of: Data("login_token.redeemed".utf8)) != nil, "there must be something to find")
            #expect(bridge.logLines.text.contains("/login-with-token"))
            let places = [
                "access log": bridge.logLines.text, "log": bridge.logMessages.text,
                "metrics": bridge.metrics.exposition(),
            ]
            for (place, text) in places {
                #expect(!text.contains(Self.marker), "\(place)")
                for secret in secrets { #expect(!text.contains(secret), "\(place)") }
            }
            for secret in secrets {
                #expect(stored.range(of: Data(secret.utf8)) == nil)
                // Of a token the signature is what must not be kept; its payload is, for repeated issues.
                let last = secret.split(separator: ".").last.map(String.init) ?? secret
                #expect(stored.range(of: Data(last.utf8)) == nil)
            }
            // A refused redirect's path is kept on purpose (contract §4.3); nothing else that was sent may be.
            for number in [10, 11, 12, 13, 15, 16, 17, 21, 22, 23, 24, 25, 26, 27, 28, 29] {
                let marker = Data("\(Self.marker)\(number)".utf8)
                #expect(stored.range(of: marker) == nil, "marker \(number) is stored")
            }
            for answer in answers where !answer.contains("<form") {
                #expect(!answer.contains(Self.marker))
            }
        }
    }
}
