import Bridge
import Foundation
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct ConsoleTextTests {
    private static func english() throws -> PageTexts.Sections {
        try PageTexts(files: PublicFiles.embedded.section("texts"))["en"]
    }

    /// Sections and keys that the console's sources name, where both are written out.
    private static func named() throws -> [(section: String, key: String)] {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/BridgeHTTP/Console")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return text.matches(of: #/\bwords\(\s*"([a-z_]+)",\s*"([a-z_]+)"/#).map { (String($0.1), String($0.2)) }
        }
    }

    @Test func `every text that the console's sources name is in the catalogue`() throws {
        let english = try Self.english()
        let named = try Self.named()
        #expect(named.count > 40)
        for (section, key) in named { #expect(english[section]?[key] != nil, "\(section).\(key)") }
    }

    @Test func `whatever has a name has a text`() throws {
        let english = try Self.english()
        func check(_ section: String, _ keys: some Sequence<String>) {
            for key in keys { #expect(english[section]?[key] != nil, "\(section).\(key)") }
        }
        check("console", ConsoleSection.allCases.map { "nav_\($0.rawValue)" })
        check("console", AlertRule.Name.allCases.map { "alert_\($0.rawValue)" })
        check("console_keys", KeyConsequence.allCases.map { "effect_\($0.rawValue)" })
        check("console_sign_in", AdminRefusal.Reason.allCases.filter { $0 != .missing }.map(\.rawValue))
        check("console_clients", Client.Kind.allCases.map { "\($0.rawValue)_help" })
        check("console_clients", ClientOrder.allCases.map { "column_\($0.rawValue)" })
        check("console_clients", ClientForm.groups.map { "group_\($0.key)" })
        let fields = ClientForm.groups.flatMap(\.fields).map(\.name)
        #expect(Set(english["client_fields"]?.keys.map { $0 } ?? []) == Set(fields + fields.map { "\($0)_help" }))
        let problems: [ConsoleProblem] = [
            .reasonNeeded, .reasonLong, .usernameNeeded, .usernameBad, .emailBad, .usernameKept, .usernameTaken,
            .lineLong("email"), .noAccount, .noPasswordAccount, .noSecondFactor, .lastAdministrator, .lastWayIn,
            .userChanged, .clientExists, .clientChanged, .clientNameNeeded, .pageOld, .noJSON, .password(.tooShort),
            .password(.tooLong), .password(.common), .password(.name),
        ]
        #expect(Set(english["console_problems"]?.keys.map { $0 } ?? []) == Set(problems.map(\.key)))
    }

    @Test func `every setting of Native SSO has a name and an explanation`() throws {
        let english = try Self.english()
        for field in NativeSSOField.allCases {
            #expect(english["console_settings"]?[field.key] != nil, "\(field)")
            #expect(english["console_settings"]?["\(field.key)_help"] != nil, "\(field)")
        }
    }

    @Test func `what another part refused is shown in its own words, and what is no fault of the form is not shown`()
        throws
    {
        let words = ConsoleWords(texts: try PageTexts(files: PublicFiles.embedded.section("texts")), language: "de")
        let refused = ConsoleFault(OAuthError(.invalidRequest, "redeem must be one of: direct, confirm"))
        #expect(refused?.values(words)["detail"] as? String == "redeem must be one of: direct, confirm.")
        #expect(refused?.values(words)["problem"] == nil)
        #expect(refused?.names("redeem") == true && refused?.names("landing") == false)
        let known = ConsoleFault(ConsoleProblem.usernameTaken)
        #expect(known?.values(words)["problem"] as? String == "Es gibt schon ein Konto mit diesem Benutzernamen.")
        #expect(known?.names("username") == true)
        #expect(ConsoleFault(OAuthError(.preconditionFailed))?.code == .preconditionFailed)
        #expect(ConsoleFault(OAuthError(.temporarilyUnavailable)) == nil)
    }
}
