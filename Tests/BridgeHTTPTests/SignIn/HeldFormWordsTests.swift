import Bridge
import HTTPTypes
import OAuth2
import Testing

@testable import BridgeHTTP

/// What the page says of a form of the console that waited for a sign-in.
@Suite struct HeldFormWordsTests {
    private static func words(_ body: String, to path: String, in language: String = "en") throws -> HeldFormWords {
        let fields = try FormParameters(parsing: body.utf8)
        let form = try #require(HeldForm(fields, path: path, by: Subject(rawValue: "carol")))
        return HeldFormWords(
            form, among: RouteTable.namedForms,
            texts: try PageTexts(files: PublicFiles.embedded.section("texts")), language: language)
    }

    @Test func `every form of the console that may wait is named in words of the catalogue`() throws {
        // They ask only, or hold a password, which is not kept.
        let never: Set<String> = [
            "/admin/sign-in", "/admin/sign-out", "/admin/explain", "/admin/nodes/verify", "/admin/users/{id}/password",
        ]
        let forms = RouteTable.all.filter { $0.method == .post && $0.path.hasPrefix("/admin/") }.map(\.path)
        #expect(Set(RouteTable.namedForms.map(\.path)) == Set(forms).subtracting(never))
        let english = try PageTexts(files: PublicFiles.embedded.section("texts"))["en"]
        var texts = Array(HeldFormWords.labels.values)
        for button in RouteTable.namedForms.compactMap(\.button) {
            texts.append(button.text)
            if let label = button.label { texts.append(label) }
        }
        for text in texts { #expect(english[text.section]?[text.key] != nil, "\(text.section).\(text.key)") }
    }

    @Test func `what was typed has the labels of its form, and what nobody typed is not shown`() throws {
        let words = try Self.words(
            "tag=x&client_name=Shop&theme_name=&grant_types.client_credentials=on&reason=why&other=1",
            to: "/admin/clients/shop%7E1")
        #expect(words.action == "Apply")
        #expect(
            words.rows.map { row in [row["name"], row["value"]].compactMap { $0 as? String } } == [
                ["Client id", "shop~1"], ["Name", "Shop"], ["Grant types", "client_credentials"], ["other", "1"],
                ["Reason", "why"],
            ])
        #expect(words.rows.map { $0["is_plain"] as? Bool } == [false, false, false, true, false])
    }

    @Test func `of fields with what they showed, those are told that were changed, an emptied one too`() throws {
        let names = "shown.username=bob&username=bob&shown.display_name=Bob&display_name=Robert"
        let words = try Self.words(
            "\(names)&shown.email=b%40x.example&email=&reason=why", to: "/admin/users/bob/names")
        #expect(
            words.rows.map { row in [row["name"], row["value"]].compactMap { $0 as? String } } == [
                ["User", "bob"], ["Display name", "Robert"], ["E-mail address", "–"], ["Reason", "why"],
            ])
    }

    @Test func `a field that was emptied comes again when the form that waited is sent`() throws {
        let fields = try FormParameters(parsing: "display_name=&reason=why".utf8)
        let form = try #require(HeldForm(fields, path: "/admin/users/bob/names", by: Subject(rawValue: "carol")))
        #expect(form.fields.map(\.name) == ["display_name", "reason"])
        #expect(form.fields.map(\.value) == ["", "why"])
    }

    @Test func `a setting's value is said as its page says it, a number as it is`() throws {
        let words = try Self.words(
            "enabled=true&rotateDeviceSecrets=false&maxSecretsBehavior=reject&deviceSecretTTLDays=30",
            to: "/admin/settings/native-sso")
        #expect(words.rows.map { $0["value"] as? String } == ["on", "off", "refuse the new one", "30"])
    }

    @Test(arguments: [("grant_types.refresh_token=on", true), ("access_token=x", false), ("new_password=x", false)])
    func `a form waits for a sign-in unless it has a secret`(body: String, waits: Bool) throws {
        let form = HeldForm(
            try FormParameters(parsing: body.utf8), path: "/admin/clients/shop", by: Subject(rawValue: "carol"))
        #expect((form != nil) == waits)
    }

    @Test(arguments: [
        ("disabled=true", "users/bob/standing", "Disable and end everything"),
        ("disabled=false", "users/bob/standing", "Enable"),
        ("sub=bob", "sessions/some-id/end", "End the session some-id"),
        ("x=1", "users/bob/phone-keys/print", "Unlink the key print"),
        ("x=1", "users/bob/consents/shop%7E1", "Take back what was allowed shop~1"),
        ("x=1", "keys/k1/retire", "Retire now"), ("x=1", "nowhere", "/admin/nowhere"),
    ])
    func `the button that was pressed says what is asked for, and the address where there is none`(
        body: String, path: String, action: String
    ) throws {
        let words = try Self.words(body, to: "/admin/\(path)")
        #expect(words.action == action)
    }
}
