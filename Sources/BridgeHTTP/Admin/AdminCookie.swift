import Bridge
import HTTPTypes
import Hummingbird

/// The cookie of a console session that was opened by pasting a token.
enum AdminCookie {
    static let name: StaticString = "__Host-drawbridge_admin"

    // `Strict`: nobody is led into the console by a link from elsewhere and finds it open.
    static func set(_ secret: OpaqueSecret, in headers: inout HTTPFields) {
        append("\(name)=\(secret.expose()); Path=/; Secure; HttpOnly; SameSite=Strict", to: &headers)
    }

    static func clear(in headers: inout HTTPFields) {
        append("\(name)=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0", to: &headers)
    }

    private static func append(_ value: String, to headers: inout HTTPFields) {
        headers.append(HTTPField(name: .setCookie, value: value))
    }
}

extension Request {
    /// The secret in the console's own cookie.
    var adminSecret: OpaqueSecret? { cookie(AdminCookie.name).flatMap { OpaqueSecret($0, kind: .adminSession) } }
}
