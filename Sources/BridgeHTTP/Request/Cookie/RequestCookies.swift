package import Bridge
import HTTPTypes
package import Hummingbird

extension Request {
    /// The value of the only cookie with this name.
    ///
    /// HTTP/1.1 allows one `Cookie` field (RFC 6265 §5.4) and HTTP/2 splits it into several (RFC 9113 §8.2.3), so
    /// several are read as one.
    func cookie(_ name: StaticString) -> String? {
        headers.value(of: .cookie, separator: ";").flatMap { CookieHeader.value(of: name, in: $0) }
    }

    /// As ``cookie(_:)``, for a name that is known at run time only.
    func cookie(named name: String) -> String? {
        headers.value(of: .cookie, separator: ";").flatMap { CookieHeader.value(named: name, in: $0) }
    }

    /// Whether the browser has such a cookie, good or not, once or more often.
    func carriesCookie(named name: String) -> Bool {
        headers.value(of: .cookie, separator: ";").map { CookieHeader.names(name, in: $0) } ?? false
    }

    /// The secret in the session cookie, when it has the form of one.
    package var sessionSecret: OpaqueSecret? {
        cookie(SessionCookies.secretName).flatMap { OpaqueSecret($0, kind: .webSession) }
    }

    /// The secret in the cookie that binds form tokens to this browser.
    var formBinding: OpaqueSecret? {
        cookie(FormCookie.name).flatMap { OpaqueSecret($0, kind: .formBinding) }
    }
}
