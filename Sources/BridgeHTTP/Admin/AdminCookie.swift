import Bridge
import HTTPTypes
import Hummingbird

/// The cookie of a console session that was opened by pasting a token.
enum AdminCookie {
    static let name: StaticString = "__Host-drawbridge_admin"

    // `Strict`: nobody is led into the console by a link from elsewhere and finds it open.
    static func set(_ secret: OpaqueSecret, in headers: inout HTTPFields) {
        headers.setCookie(name, secret.expose(), for: nil, sameSite: .strict)
    }

    static func clear(in headers: inout HTTPFields) { headers.clearCookie(name, sameSite: .strict) }
}

extension Request {
    /// The secret in the console's own cookie.
    var adminSecret: OpaqueSecret? { cookie(AdminCookie.name).flatMap { OpaqueSecret($0, kind: .adminSession) } }
}
