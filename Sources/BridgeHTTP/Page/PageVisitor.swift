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
}
