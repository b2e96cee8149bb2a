import ArgumentParser
import Bridge
import Testing

@testable import drawbridge

@Suite struct CommandLineTests {
    @Test(arguments: [
        ["serve", "--config", "a.yaml", "--login-token-lifetime", "30s"], ["demo", "--listen", "127.0.0.1:0"],
        ["demo", "--listen", "0.0.0.0:8080", "--open-to-network"],
        ["demo", "--no-limits", "--print-json", "--data", "/tmp/x", "--management-listen", "[::1]:9"],
        ["check-config"], ["keys", "rotate", "--activate-in", "5m"], ["keys", "init"], ["keys", "list"],
        ["audit", "tail", "-f", "-n", "5"], ["audit", "verify", "--export", "x", "--public-key", "y"],
        ["audit", "verify", "--checkpoint", "a", "b", "--retention", "400d"],
        ["audit", "accept", "--config", "a.yaml", "--reason", "restored"],
        ["audit", "search", "--sub", "alice", "--format", "csv"], ["audit", "export"], ["audit", "public-key"],
        ["clients", "add", "-"], ["clients", "list"], ["clients", "secret"], ["users", "disable", "alice"],
        ["migrate", "--data", "/tmp"],
        ["users", "second-factor", "enrol", "--replace", "--reason", "lost", "alice"],
        ["users", "second-factor", "remove", "alice"], ["users", "second-factor", "recovery-codes", "alice"],
        ["explain", "exchange", "--config", "a.yaml", "--client", "app", "--subject-token-type", "access_token"],
        ["explain", "redirect", "--allow", "/a", "/a"], ["explain", "redirect", "--allow", "/a", "--stdin-base64"],
    ])
    func `a command line is understood`(_ words: [String]) throws {
        _ = try Drawbridge.parseAsRoot(words)
    }

    @Test(arguments: [
        ["demo", "--listen", "0.0.0.0:80"], ["demo", "--listen", "x"], ["demo", "--issuer", "http://a/b"],
        ["audit", "verify", "--export", "x"], ["audit", "verify", "--retention", "400"],
        ["audit", "verify", "--retention", "999999999999d"], ["audit", "accept"], ["audit", "accept", "--reason", ""],
        ["audit", "tail", "-n", "0"], ["explain", "redirect", "/a"],
        ["explain", "redirect", "--allow", "/a"], ["demo", "--colour"], ["users", "second-factor", "enrol"],
        ["users", "second-factor", "remove", "--reason", "a\nb", "c"], ["nonsense"],
        ["explain", "exchange"], ["explain", "exchange", "--client", "app", "--data", "/tmp/x"],
        ["explain", "exchange", "--client", "app", "--subject-token-type", "saml"],
    ])
    func `misuse is told`(_ words: [String]) {
        #expect(throws: (any Error).self) { try Drawbridge.parseAsRoot(words) }
    }

    @Test func `a demo that would listen for others says why not, and how it may in a container`() {
        let words = ["demo", "--listen", "0.0.0.0:80"]
        let error = #expect(throws: (any Error).self) { try Drawbridge.parseAsRoot(words) }
        let told = error.map { Drawbridge.message(for: $0) } ?? ""
        #expect(told.contains("lets anybody sign in") && told.contains("--open-to-network"))
    }

    @Test(arguments: [
        (["--trace-share", "0.5"], "--trace-share needs --traces."),
        (
            ["--traces", "http://127.0.0.1:4318/v1/traces", "--trace-share", "2"],
            "--trace-share must be a number from 0 to 1"
        ),
    ])
    func `a share of traces that means nothing is refused`(words: [String], said: String) {
        let error = #expect(throws: (any Error).self) { try Drawbridge.parseAsRoot(["demo"] + words) }
        #expect((error.map { Drawbridge.message(for: $0) } ?? "").contains(said))
    }

    @Test(arguments: [
        ["keys", "rotate"], ["audit", "accept"], ["restore", "--in-place"],
        ["users", "second-factor", "remove", "alice"], ["users", "passkeys", "remove", "alice"],
    ])
    func `a reason has the same limit wherever one is given, in characters of any script`(_ words: [String]) throws {
        _ = try Drawbridge.parseAsRoot(words + ["--reason", String(repeating: "復", count: AdminAction.reasonLimit)])
        for reason in ["", "a\nb", String(repeating: "a", count: AdminAction.reasonLimit + 1)] {
            let error = #expect(throws: (any Error).self) { try Drawbridge.parseAsRoot(words + ["--reason", reason]) }
            #expect((error.map { Drawbridge.message(for: $0) } ?? "").contains("--reason must be one line of 1 to 500"))
        }
    }

    @Test func `a reason with a secret in it is refused, and not said again`() throws {
        let secret = OpaqueSecret.make(.refreshToken, random: .system).expose()
        let words = ["keys", "rotate", "--reason", "leaked: \(secret)"]
        let error = #expect(throws: (any Error).self) { try Drawbridge.parseAsRoot(words) }
        let said = error.map { Drawbridge.message(for: $0) } ?? ""
        #expect(said.contains("--reason holds a token or secret") && !said.contains(secret))
    }

    @Test func `words that serve does not know itself are settings`() throws {
        let command = try #require(
            try Drawbridge.parseAsRoot(["serve", "--config", "a.yaml", "--shutdown-grace", "3s"]) as? ServeCommand)
        #expect(command.options.configPath == "a.yaml")
        #expect(command.overrides == ["--shutdown-grace", "3s"])
    }
}
