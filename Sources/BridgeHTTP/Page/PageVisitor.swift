package import Hummingbird
import Bridge
import HTTPTypes

/// The visitor that a page is made for.
package struct PageVisitor: Sendable {
    private(set) var acceptLanguage: String?
    /// What the visitor chose on a page of ours; perhaps a language that there is not any more.
    let chosenLanguage: String?
    /// The address that shows the same page once more, where that is all that it does.
    let again: PageAgain?
    /// Whether the page came for a `GET`, which its address repeats.
    let asksForPage: Bool
    /// Whether somebody signed in here with a phone's key: then that way is offered first.
    let hasUsedPhoneKey: Bool
    let requestID: String
    /// The looks of the website that the page belongs to.
    private(set) var theme = Theme()
    /// Where pages lead that would lead others to a sign-in; `nil` where nobody is known to be signed in.
    private(set) var home: String?

    /// Says so for half a year; it opens nothing and names nobody.
    static let phoneKeyCookie: StaticString = "__Host-siop_ok"

    package init(_ request: Request, _ context: BridgeRequestContext) {
        acceptLanguage = request.headers[.acceptLanguage]
        chosenLanguage = request.cookie(LanguageCookie.name)
        // HEAD says how long the page is that GET would show (RFC 9110 §8.6).
        asksForPage = [.get, .head].contains(request.method)
        again = asksForPage ? PageAgain(request.uri.string) { _ in context.repetition } : nil
        hasUsedPhoneKey = request.cookie(Self.phoneKeyCookie) != nil
        requestID = context.requestID
    }

    /// This visitor on the way to a website, whose looks the pages take; without a website, or where it has no looks of
    /// its own, the looks stay as they are.
    func themed(by website: Client?) -> PageVisitor {
        guard let theme = website?.theme, !theme.isEmpty else { return self }
        var visitor = self
        visitor.theme = theme
        return visitor
    }

    /// This visitor, who is signed in.
    /// - Parameter path: where they are at home.
    func signedIn(at path: String) -> PageVisitor {
        var visitor = self
        visitor.home = path
        return visitor
    }

    /// This visitor with the languages that the client asked for in front (`ui_locales`, OpenID Connect Core
    /// §3.1.2.1); those that we do not have change nothing. What the visitor chose stays before them.
    func preferring(_ locales: String?) -> PageVisitor {
        guard let locales, !locales.contains(",") else { return self }
        let wanted = locales.split(separator: " ").prefix(8).map(String.init)
        var visitor = self
        visitor.acceptLanguage =
            (wanted + [acceptLanguage.map(Self.weighedLess) ?? ""]).filter { !$0.isEmpty }.joined(separator: ",")
        return visitor
    }

    /// The header with every range weighed a little less, so that it comes last.
    private static func weighedLess(_ header: String) -> String {
        header.split(separator: ",").map { $0.contains(";") ? String($0) : "\($0);q=0.999" }.joined(separator: ",")
    }
}
