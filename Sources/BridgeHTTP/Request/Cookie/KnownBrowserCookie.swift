import Bridge
import HTTPTypes
import Hummingbird

/// The cookie by which a browser is known at its next sign-in. It opens nothing, and outlives signing out.
enum KnownBrowserCookie {
    static let name: StaticString = "__Host-drawbridge_known"

    static func set(_ recognition: Secret<String>, in headers: inout HTTPFields) {
        headers.setCookie(name, recognition.expose(), for: KnownBrowsers.lifetime)
    }
}

extension Response {
    /// Has the browser known at its next sign-in; by what it was before, where there is nothing new.
    func knowingBrowser(by recognition: Secret<String>?) -> Response {
        guard let recognition else { return self }
        var response = self
        KnownBrowserCookie.set(recognition, in: &response.headers)
        return response
    }
}

extension BridgeRequestContext {
    /// As ``origin(of:)``, with what the browser is known by: for pages on which passwords and codes are guessed.
    func recognisedOrigin(of request: Request) -> RequestOrigin {
        var origin = origin(of: request)
        origin.recognition = request.cookie(KnownBrowserCookie.name).map { Secret($0) }
        return origin
    }
}
