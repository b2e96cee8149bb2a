// The signatures of Apple's framework that the library uses, so that its adapter is type-checked where there is none.
// Nothing here runs. Taken from Apple's documentation; whether they are right only a Mac can say.
public import Foundation
public import FoundationNetworking

@MainActor open class WKHTTPCookieStore: NSObject {
    open func setCookie(_ cookie: HTTPCookie) async {}
    open func allCookies() async -> [HTTPCookie] { [] }
    open func deleteCookie(_ cookie: HTTPCookie) async {}
}

@MainActor open class WKWebsiteDataStore: NSObject {
    open var httpCookieStore: WKHTTPCookieStore { fatalError("a stand-in") }
}

@MainActor open class WKWebViewConfiguration: NSObject {
    open var websiteDataStore: WKWebsiteDataStore { fatalError("a stand-in") }
}

@MainActor open class WKWebView: NSObject {
    open var configuration: WKWebViewConfiguration { fatalError("a stand-in") }
    open func load(_ request: URLRequest) -> Int? { nil }
}
