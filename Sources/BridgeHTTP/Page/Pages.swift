import Bridge
package import HTTPTypes
package import Hummingbird
import Mustache
import NIOCore
import OAuth2

/// Renders every page in the visitor's language, with the headers that every page carries.
package final class Pages: Sendable {
    /// The binary's own templates. Parsed for the first page, since a start would spend a quarter of its time on them; that
    /// they can be, tests have seen.
    private static let ownLibrary: MustacheLibrary = {
        do {
            return try library(of: .embedded)
        } catch {
            preconditionFailure("the binary's own templates: \(error)")
        }
    }()

    /// Where a folder brings templates; `nil` for the binary's own alone.
    private let replacedLibrary: MustacheLibrary?
    let texts: PageTexts
    let siteName: String
    let signInURL: String
    /// Names of the pictures and other files beside the pages.
    private let assets: Set<String>

    /// - Throws: ``PageError``; at start, never later.
    package init(files: PublicFiles, siteName: String, signInURL: String) throws {
        replacedLibrary = files.replacesTemplates ? try Self.library(of: files) : nil
        texts = try PageTexts(files: files.section("texts"))
        assets = Set(files.section("assets").keys)
        self.siteName = siteName
        self.signInURL = signInURL
    }

    private static func library(of files: PublicFiles) throws -> MustacheLibrary {
        var templates: [String: MustacheTemplate] = [:]
        for (name, content) in files.section("templates") where name.hasSuffix(".mustache") {
            let name = String(name.dropLast(9))
            do {
                templates[name] = try MustacheTemplate(string: String(decoding: content, as: UTF8.self))
            } catch let error as MustacheTemplate.ParserError {
                throw PageError.malformedTemplate(name, line: error.context.lineNumber)
            }
        }
        return MustacheLibrary(templates: templates)
    }

    /// The language that a visitor is answered in.
    package func language(for visitor: PageVisitor) -> String {
        if let chosen = visitor.chosenLanguage, texts.languages.contains(chosen) { return chosen }
        return LanguagePreference.choose(from: texts.languages, accepting: visitor.acceptLanguage) ?? "en"
    }

    /// A page of another part of the service, in the same layout.
    /// - Parameters:
    ///   - main: HTML, trusted as it is; escape what came from outside with ``escape(_:)``.
    ///   - scripts: paths on this origin; inline scripts do not run.
    ///   - language: that of `main`.
    package func document(
        title: String, main: String, to visitor: PageVisitor, language: String, scripts: [String] = [],
        wide: Bool, status: HTTPResponse.Status = .ok
    ) -> Response {
        render(
            "document", ["title": title, "main": main, "scripts": scripts, "wide": wide], to: visitor,
            language: language, status: status)
    }

    /// Text as HTML content or as a quoted attribute's value.
    package static func escape(_ text: String) -> String {
        var output = ""
        output.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            switch character {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(character)
            }
        }
        return output
    }

    func render(
        _ template: String, _ values: [String: any Sendable] = [:], to visitor: PageVisitor, language: String? = nil,
        status: HTTPResponse.Status = .ok, policy: ContentSecurityPolicy = .usual
    ) -> Response {
        let language = language ?? self.language(for: visitor)
        var object: [String: any Sendable] = values
        object["text"] = texts[language]
        object["language"] = language
        object["is_right_to_left"] = TextDirection.isRightToLeft(language)
        object["language_menu"] = languageMenu(language, for: visitor)
        object["site_name"] = visitor.theme.name ?? siteName
        // A missing picture is not a reason to show a broken one.
        let logo = visitor.theme.logo.flatMap { assets.contains($0) ? $0 : nil }
        object["logo"] = "/assets/\(logo ?? "drawbridge.svg")"
        object["accent"] = visitor.theme.accent.map { "/assets/" + AccentStylesheet(of: $0).name }
        object["sign_in_url"] = values["sign_in_url"] ?? signInURL
        object["signed_in_home"] = visitor.home.map { signedInHome($0, language) }
        object["request_id"] = visitor.requestID
        // The template is there: a folder's files stand before the embedded ones, which tests have looked at.
        let html = (replacedLibrary ?? Self.ownLibrary).render(object, withTemplate: template) ?? ""
        return Response(
            status: status, headers: Self.headers(language: language, policy: policy),
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    /// Where a page leads somebody who is signed in.
    private func signedInHome(_ path: String, _ language: String) -> [String: String] {
        let label = path == AccountPath.home ? ("account", "title") : ("confirm", "title")
        return ["url": path, "label": texts.text(label.0, label.1, in: language)]
    }

    /// The languages to choose from; `nil` where the page could not be shown again.
    private func languageMenu(_ current: String, for visitor: PageVisitor) -> [String: any Sendable]? {
        guard let again = visitor.again, texts.languages.count > 1 else { return nil }
        let choices = texts.languages.map { language -> [String: any Sendable] in
            ["tag": language, "own_name": texts.name(of: language), "is_current": language == current]
        }
        return [
            "action": LanguageController.path, "again": again.address, "current": texts.name(of: current),
            "choices": choices,
        ]
    }

    /// What every page carries (contract §11; docs/rules/return-path.md P12).
    private static func headers(language: String, policy: ContentSecurityPolicy) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentLanguage] = language
        headers[.cacheControl] = "no-store"
        headers[.vary] = "Accept-Language, Cookie"
        headers[.contentSecurityPolicy] = policy.value
        headers[.referrerPolicy] = "no-referrer"
        headers[.xFrameOptions] = "DENY"
        headers[.xRobotsTag] = "noindex"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.crossOriginResourcePolicy] = "same-origin"
        // No page of ours asks for any of them: codes are scanned by the phone's own camera.
        headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=()"
        return headers
    }
}

extension HTTPField.Name {
    static let xFrameOptions = literal("X-Frame-Options")
    static let xRobotsTag = literal("X-Robots-Tag")
    static let crossOriginOpenerPolicy = literal("Cross-Origin-Opener-Policy")
    static let crossOriginResourcePolicy = literal("Cross-Origin-Resource-Policy")
    static let permissionsPolicy = literal("Permissions-Policy")
}
