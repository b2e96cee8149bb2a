import DrawbridgeClient
import Foundation
import Testing

@testable import drawbridge_app

@Suite(.serialized) struct DesktopBrowserTests {
    /// Describes itself, shows its keys, and answers nothing else.
    private struct SilentProvider: HTTPTransport {
        func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
            let issuer = "https://id.example.com"
            guard request.address != "\(issuer)/k" else {
                return ClientAnswer(status: 200, body: Array(#"{"keys":[]}"#.utf8))
            }
            let metadata = """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/a","token_endpoint":"\(issuer)/t",
                "jwks_uri":"\(issuer)/k","code_challenge_methods_supported":["S256"]}
                """
            return ClientAnswer(status: 200, body: Array(metadata.utf8))
        }
    }

    private func request(at redirect: RedirectAddress) async throws -> SignInRequest {
        let app = Drawbridge(
            configuration: try ClientConfiguration(issuer: IssuerAddress("https://id.example.com"), clientID: "app"),
            store: MemorySecretStore(), transport: SilentProvider())
        return try await app.beginSignIn(redirect: redirect)
    }

    private func browser(_ command: String, patience: Duration) -> DesktopBrowser {
        DesktopBrowser(
            launcher: .system(environment: ["BROWSER": command]), family: .ipv4, patience: patience)
    }

    @Test func `what the browser brings back is handed on, also when it says no`() async throws {
        for result in ["code=c", "error=access_denied"] {
            let browser = browser("true", patience: .seconds(20))
            let redirect = try await browser.prepare()
            let request = try await request(at: redirect)
            let port = try #require(URL(string: redirect.text)?.port)
            async let answer = browser.open(request)
            let target = "/callback?\(result)&state=\(request.state)"
            var page: String?
            while page?.hasPrefix("HTTP/1.1 200") != true {
                page = RawRequest.get(target, host: "127.0.0.1:\(port)", port: port)
                await Task.yield()
            }
            #expect(page?.contains(result == "code=c" ? "You can go back" : "You are not signed in") == true)
            #expect(try await answer == "http://127.0.0.1:\(port)\(target)")
        }
    }

    @Test func `without an answer the wait ends, and so does the listener`() async throws {
        let browser = browser("true", patience: .milliseconds(50))
        let request = try await request(at: browser.prepare())
        await #expect(throws: ClientError.timedOut) { try await browser.open(request) }
        let port = try #require(URL(string: request.redirect.text)?.port)
        #expect(RawRequest.get("/callback", host: "127.0.0.1:\(port)", port: port) == nil)
    }

    @Test(arguments: ["SCRIPT %s", "SCRIPT", "false:SCRIPT", "/nowhere/browser:SCRIPT"])
    func `the address is one argument of the first browser that works`(_ command: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "drawbridge-browser-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appending(path: "browser").path(percentEncoded: false)
        try "#!/bin/sh\nprintf '%s|' \"$#\" \"$@\" > \"$0.part\" && mv \"$0.part\" \"$0.said\"".write(
            toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let address = "https://id.example.com/a?b=c&d=$(id)`id`;e"
        let launcher = BrowserLauncher.system(environment: ["BROWSER": command.replacing("SCRIPT", with: script)])
        try await launcher.open(address)
        // On a busy machine the script may still run after two seconds, as a browser would.
        let end = ContinuousClock.now + .seconds(30)
        while !FileManager.default.fileExists(atPath: "\(script).said"), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try String(contentsOfFile: "\(script).said", encoding: .utf8) == "1|\(address)|")
    }
}
