package import Hummingbird
import HTTPTypes

/// For whom a page is made.
package struct PageVisitor: Sendable {
    let acceptLanguage: String?
    let requestID: String

    package init(_ request: Request, _ context: BridgeRequestContext) {
        acceptLanguage = request.headers[.acceptLanguage]
        requestID = context.requestID
    }

    private init(acceptLanguage: String?, requestID: String) {
        self.acceptLanguage = acceptLanguage
        self.requestID = requestID
    }

    /// The same visitor with the languages that the client asked for in front (`ui_locales`, OpenID Connect Core
    /// §3.1.2.1); those that we do not have change nothing.
    func preferring(_ locales: String?) -> PageVisitor {
        guard let locales, !locales.contains(",") else { return self }
        let wanted = locales.split(separator: " ").prefix(8).map(String.init)
        return PageVisitor(
            acceptLanguage: (wanted + [acceptLanguage.map(Self.weighedLess) ?? ""]).filter { !$0.isEmpty }
                .joined(separator: ","),
            requestID: requestID)
    }

    /// The header with every range weighed a little less, so that it comes last.
    private static func weighedLess(_ header: String) -> String {
        header.split(separator: ",").map { $0.contains(";") ? String($0) : "\($0);q=0.999" }.joined(separator: ",")
    }
}
