import Bridge
import Foundation
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct PageTextTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func texts() throws -> PageTexts { try PageTexts(files: PublicFiles.embedded.section("texts")) }

    private static func keys(_ sections: PageTexts.Sections) -> Set<String> {
        Set(sections.flatMap { section, texts in texts.keys.map { "\(section).\($0)" } })
    }

    private static func placeholders(_ text: String) -> [String] {
        text.matches(of: #/\{[a-z]+\}/#).map { String($0.0) }.sorted()
    }

    @Test func `the embedded files are those of public`() throws {
        let root = Self.repository.appendingPathComponent("public")
        var found: [String: String] = [:]
        for section in ["assets", "templates", "texts"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(section).path) {
                found["\(section)/\(name)"] = try String(
                    contentsOf: root.appendingPathComponent(section).appendingPathComponent(name), encoding: .utf8)
            }
        }
        // The source of these is Config/openapi.yaml; the end-to-end tests hold what is served against it.
        let described = ["openapi.json", "openapi-console.json", "api-docs.html", "api-docs-console.html"]
        #expect(Set(found.keys).union(described) == Set(EmbeddedFiles.contents.keys))
        let stale = found.keys.filter { found[$0] != EmbeddedFiles.contents[$0] }.sorted()
        #expect(stale.isEmpty, "run public/embed.sh")
    }

    @Test func `every language has the same texts, none empty`() throws {
        let texts = try Self.texts()
        #expect(texts.languages == ["en", "ar", "de", "es", "fr", "ja"])
        for language in texts.languages {
            #expect(Self.keys(texts.own(language)) == Self.keys(texts.own("en")), "\(language)")
            for (section, entries) in texts.own(language) {
                for (key, text) in entries { #expect(!text.isEmpty, "\(language) \(section).\(key)") }
            }
        }
    }

    @Test func `a language of the site's own is offered, and speaks English where it has no words`() throws {
        var files = PublicFiles.embedded.section("texts")
        files["cy.json"] = Array(#"{"page":{"sign_in":"Mewngofnodi"}}"#.utf8)
        let texts = try PageTexts(files: files)
        #expect(texts.languages == ["en", "ar", "cy", "de", "es", "fr", "ja"])
        #expect(texts["cy"]["page"]?["sign_in"] == "Mewngofnodi")
        #expect(texts["cy"]["refused"]?["title"] == texts["en"]["refused"]?["title"])
        #expect(texts.text("page", "sign_in", in: "cy") == "Mewngofnodi")
        #expect(texts.name(of: "cy") == "cy")
    }

    @Test(arguments: ["en", "de"])
    func `a site's own file of a built-in language changes the texts that it has alone`(language: String) throws {
        let builtIn = try Self.texts()
        var files = PublicFiles.embedded.section("texts")
        files["\(language).json"] = Array(#"{"refused":{"title":"Ours"}}"#.utf8)
        let texts = try PageTexts(files: files)
        #expect(texts.languages == builtIn.languages)
        #expect(texts[language]["refused"]?["title"] == "Ours")
        var expected = builtIn[language]
        expected["refused"]?["title"] = "Ours"
        #expect(texts[language] == expected)
        #expect(texts["fr"] == builtIn["fr"])
    }

    @Test func `placeholders are the same in every language`() throws {
        let texts = try Self.texts()
        for (section, entries) in texts["en"] {
            for (key, text) in entries {
                for language in texts.languages {
                    let other = texts.own(language)[section]?[key] ?? ""
                    #expect(
                        Self.placeholders(text) == Self.placeholders(other), "\(language) \(section).\(key)")
                }
            }
        }
    }

    @Test(arguments: [(12, "12 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (900, "15 min")])
    func `a wait is told in seconds below a minute, else in minutes`(seconds: Int, words: String) throws {
        let text = try Self.texts().text("sign_in", "limited", in: "en", waiting: .seconds(seconds))
        #expect(text == "There were too many attempts. Please wait \(words), then try again.")
    }

    @Test func `a site's own text may count the minutes of a wait itself`() throws {
        var files = PublicFiles.embedded.section("texts")
        files["en.json"] = Array(#"{"sign_in":{"limited":"Wait {minutes} minutes."}}"#.utf8)
        let texts = try PageTexts(files: files)
        #expect(texts.text("sign_in", "limited", in: "en", waiting: .seconds(61)) == "Wait 2 minutes.")
    }

    @Test func `each way to sign in has a name of its own, which its page has too`() throws {
        let texts = try Self.texts()
        for language in texts.languages {
            let own = texts.own(language)
            let names = ["with_phone", "phone", "passkey"].compactMap { own["sign_in"]?[$0] }
            #expect(Set(names).count == 3, "\(language)")
            #expect(names.first == own["self_issued"]?["sign_in_title"], "\(language)")
            #expect(own["sign_in"]?["phone"] == own["phone"]?["title"], "\(language)")
        }
    }

    @Test func `every text that a template names exists`() throws {
        let keys = Self.keys(try Self.texts()["en"])
        for (name, content) in PublicFiles.embedded.section("templates") {
            for match in String(decoding: content, as: UTF8.self).matches(of: #/\{\{text\.([a-z_]+\.[a-z_]+)\}\}/#) {
                #expect(keys.contains(String(match.1)), "\(name)")
            }
        }
    }

    @Test func `every template that the sources or another template name is there, and no other`() throws {
        let templates = PublicFiles.embedded.section("templates")
        let names = Set(templates.keys.map { String($0.dropLast(".mustache".count)) })
        var named: Set<String> = []
        for content in templates.values {
            for match in String(decoding: content, as: UTF8.self).matches(of: #/\{\{[<>] ?([a-z_]+)\}\}/#) {
                named.insert(String(match.1))
            }
        }
        let folder = Self.repository.appendingPathComponent("Sources/BridgeHTTP")
        let paths = FileManager.default.enumerator(atPath: folder.path)
        while let path = paths?.nextObject() as? String {
            guard path.hasSuffix(".swift"), !path.hasPrefix("Generated/") else { continue }
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let calls = text.matches(of: #/(?:render|answer)\(\s*(?:\w+ \? "([a-z_]+)" : )?"([a-z_]+)"/#)
            for name in calls.flatMap({ [$0.1, $0.2].compactMap(\.self) }).map({ String($0) }) {
                // The console's pages are named without what their templates' names begin with.
                named.insert(names.contains(name) ? name : "admin_\(name)")
            }
        }
        #expect(named == names)
    }

    @Test(arguments: ["sign_in", "code", "second_factor", "password", "self_issued", "device"])
    func `a page that refuses for a while says how long`(section: String) throws {
        let texts = try Self.texts()
        for language in texts.languages {
            #expect(texts.own(language)[section]?["limited"]?.contains("{wait}") == true, "\(language)")
        }
    }

    @Test func `every error code has an explanation`() throws {
        let texts = try Self.texts()
        for language in texts.languages {
            #expect(Set((texts[language]["errors"] ?? [:]).keys) == Set(ErrorCode.all.map(\.rawValue)))
            #expect(
                Set((texts[language]["errors_at_token_endpoint"] ?? [:]).keys)
                    == Set(ErrorCode.all.compactMap(\.atTokenEndpoint?.rawValue)))
        }
    }

    @Test func `every cause of a refused exchange has an explanation and what to do`() throws {
        let texts = try Self.texts()
        let names = NativeSSORefusal.allCases.map(\.rawValue)
        for language in texts.languages {
            #expect(Set((texts[language]["native_sso_causes"] ?? [:]).keys) == Set(names))
        }
    }

    @Test func `every reason why a phone's answer is refused has an explanation`() throws {
        let texts = try Self.texts()
        let names = SelfIssuedRefusal.Reason.ofTheirOwn.map(\.rawValue)
        #expect(names.count == SelfIssuedRefusal.Reason.allCases.count - 1, "rate_limited is an error code")
        for language in texts.languages {
            #expect(Set((texts[language]["self_issued_causes"] ?? [:]).keys) == Set(names))
        }
    }

    @Test func `no page holds a style or script of its own`() {
        for (name, content) in PublicFiles.embedded.section("templates") {
            let text = String(decoding: content, as: UTF8.self)
            #expect(!text.contains("<style") && !text.contains(" style=") && !text.contains("<script>"), "\(name)")
            #expect(text.firstMatch(of: #/ on[a-z]+=/#) == nil, "\(name)")
        }
    }

    /// A reload takes the reader back to the page's beginning (WCAG 2.2, 2.2.1).
    @Test func `a page reloads itself without scripts only`() {
        for (name, content) in PublicFiles.embedded.section("templates") {
            let text = String(decoding: content, as: UTF8.self)
            for match in text.matches(of: #/(<noscript>)?<meta http-equiv="refresh"/#) {
                #expect(match.1 != nil, "\(name)")
            }
        }
    }

    /// Without one before it, a sign takes its direction from the words around it, and stands at the other end.
    @Test func `a path or a colour among Arabic words begins with a mark of its direction`() throws {
        for (section, entries) in try Self.texts().own("ar") {
            for (key, text) in entries {
                #expect(text.firstMatch(of: #/(^|[ («])[#/][\w*]/#) == nil, "\(section).\(key)")
            }
        }
    }

    static let preferences: [(String?, String)] = [
        (nil, "en"), ("", "en"), ("de", "de"), ("de-AT", "de"), ("DE-de-1996", "de"), ("fr", "en"),
        ("fr, de;q=0.5", "de"), ("en;q=0.4, de;q=0.5", "de"), ("de;q=0, en;q=0.1", "en"), ("de;q=0", "en"),
        ("*", "en"), ("fr;q=1, *;q=0.1", "en"), ("de;q=2", "en"), ("de;q=0.1234", "en"), ("de ; q=0.5", "de"),
        ("en,de", "en"), ("de,en", "de"), ("de;level=1", "en"), ("de;q=1.001", "en"), ("\u{e9};q=1", "en"),
    ]

    @Test(arguments: preferences)
    func `the language follows Accept-Language`(header: String?, language: String) {
        #expect(LanguagePreference.choose(from: ["en", "de"], accepting: header) == language)
    }

    @Test func `a page comes in German for a German visitor`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(
                .get, "/session/signed-out", [.acceptLanguage: "de-DE,de;q=0.9,en;q=0.5"])
            #expect(page.text.contains("<html lang=\"de\">"))
            #expect(page.text.contains("Sie sind abgemeldet"))
        }
    }

    @Test func `a folder's files stand in front of the embedded ones`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("public-\(UUID().uuidString)")
        let templates = folder.appendingPathComponent("templates")
        try FileManager.default.createDirectory(at: templates, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "ours".write(to: templates.appendingPathComponent("refused.mustache"), atomically: true, encoding: .utf8)
        let files = try PublicFiles(overriddenBy: folder.path)
        #expect(files.section("templates")["refused.mustache"] == Array("ours".utf8))
        #expect(files.section("templates")["confirm.mustache"] != nil)
    }

    @Test(arguments: [
        ("{bad", ""), ("[]", ""), (#"{"sign_in":7}"#, "sign_in"), (#"{"sign_in":{"title":7}}"#, "sign_in.title"),
    ])
    func `a broken file of texts stops the start by its name`(content: String, place: String) {
        var files = PublicFiles.embedded.section("texts")
        files["en.json"] = Array(content.utf8)
        let error = #expect(throws: PageError.malformedTexts("en.json", place: place)) { try PageTexts(files: files) }
        #expect(error?.description.hasPrefix("texts/en.json must be a JSON object of sections") == true)
    }

    @Test func `a broken template stops the start`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("public-\(UUID().uuidString)")
        let templates = folder.appendingPathComponent("templates")
        try FileManager.default.createDirectory(at: templates, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "{{#open}}".write(
            to: templates.appendingPathComponent("refused.mustache"), atomically: true, encoding: .utf8)
        #expect(throws: PageError.malformedTemplate("refused", line: 1)) {
            try Pages(files: PublicFiles(overriddenBy: folder.path), siteName: "x", signInURL: "/")
        }
    }

    @Test func `what comes from outside is escaped`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.redeem(
                "%22%3E%3Cscript%3E", [:], more: "&redirect=%22%3E%3Cimg%20src=x%3E")
            #expect(page.status == .ok)
            #expect(!page.text.contains("<script>") && !page.text.contains("<img src=x"))
            #expect(Pages.escape("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;")
        }
    }
}
