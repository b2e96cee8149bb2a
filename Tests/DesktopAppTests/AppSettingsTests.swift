import ArgumentParser
import DrawbridgeClient
import Foundation
import Testing

@testable import drawbridge_app

@Suite struct AppSettingsTests {
    private func settings(_ arguments: [String], _ environment: [String: String] = [:]) throws -> AppSettings {
        AppSettings(try AppOptions.parse(arguments), environment: environment)
    }

    @Test func `options come before the environment, and both before the defaults`() throws {
        let environment = ["DRAWBRIDGEAPP_APP": "from-environment", "DRAWBRIDGEAPP_ISSUER": ""]
        #expect(try settings(["--app", "from-option"], environment).app == "from-option")
        #expect(try settings([], environment).app == "from-environment")
        #expect(try settings([]).app == "demo-app")
        #expect(try settings([], environment).issuer == "http://127.0.0.1:8080", "an empty value is none")
    }

    @Test func `secrets lie in the user's data folder`() throws {
        #expect(
            try settings([], ["XDG_DATA_HOME": "/d"]).folder.path(percentEncoded: false) == "/d/drawbridge-app")
        let other = try settings([], ["XDG_DATA_HOME": "relative"]).folder.path(percentEncoded: false)
        #expect(other.hasSuffix("/.local/share/drawbridge-app"), "the specification has relative paths ignored")
    }

    @Test func `the apps of one provider share, those of another do not`() throws {
        let ours = try settings(["--app", "a"]).configuration()
        #expect(try settings(["--app", "b"]).configuration().sharing == ours.sharing)
        #expect(try settings(["--issuer", "https://id.example.com"]).configuration().sharing != ours.sharing)
    }

    @Test func `http beyond this machine is refused`() throws {
        let settings = try settings(["--issuer", "http://id.example.com"])
        #expect(throws: ClientError.self) { try settings.configuration() }
    }

    @Test func `a store that nobody knows is refused`() async throws {
        let settings = try settings(["--store", "cloud"])
        await #expect(throws: ClientError.configuration("--store is auto, secret-service or file, not cloud")) {
            try await settings.store()
        }
    }

    @Test(arguments: [
        (ClientError.notSignedIn, 3), (.refused(OAuthRefusal(code: "access_denied")), 4), (.cancelled, 4),
        (.timedOut, 5), (.unreachable("no network"), 6), (.comeBackLater(seconds: nil), 6),
        (.answer(.foreignState), 1), (.secretStore("full"), 1),
    ])
    func `the exit status says what happened`(_ error: ClientError, _ status: Int) {
        #expect(ExitStatus(error).rawValue == Int32(status))
    }

    @Test(arguments: [
        (SilentFallback.nothingShared, 3), (.partsDoNotFit, 3), (.refused(OAuthRefusal(code: "invalid_grant")), 3),
        (.failed(.unreachable("no connection")), 6), (.failed(.comeBackLater(seconds: 5)), 6),
        (.failed(.secretStore("locked")), 1),
    ])
    func `a silent sign-in that fails is told from one that needs a person`(_ reason: SilentFallback, _ status: Int) {
        #expect(ExitStatus(reason).rawValue == Int32(status))
    }

    @Test func `the hint to sign in repeats the options in use`() throws {
        #expect(try AppOptions.parse([]).signInHint == "; try: drawbridge-app sign-in")
        #expect(
            try AppOptions.parse(["--app", "b", "--directory", "my keys", "--issuer", "https://id.example.com"])
                .signInHint
                == "; try: drawbridge-app sign-in --issuer https://id.example.com --app b --directory 'my keys'")
    }

    @Test(arguments: [["--issuer", "foo"], ["--store", "foo"], ["--app", ""]])
    func `options that cannot work are wrong usage`(_ arguments: [String]) async throws {
        await #expect(throws: ExitCode(64)) { try await AppOptions.parse(arguments).run { _ in } }
    }

    @Test(arguments: [
        ["--timeout", "0"], ["--timeout", "3601"], ["--silent", "--print-url"], ["--loopback", "ipv5"],
        ["--callback-path", "callback"], ["--callback-path", "/call back"], ["--callback-path", "/callback?issuer=a"],
    ])
    func `wrong usage is told before anything happens`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try SignInCommand.parse(arguments) }
    }

    @Test func `no line of the help is wider than 80 columns, the usage neither`() {
        let commands: [any ParsableCommand.Type] = [DesktopApp.self] + DesktopApp.configuration.subcommands
        for command in commands {
            for line in DesktopApp.helpMessage(for: command, columns: 80).split(separator: "\n") {
                #expect(line.count <= 80, "\(command._commandName): \(line)")
            }
        }
    }
}
