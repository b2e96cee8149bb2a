import HTTPTypes

/// By what a website knows the browser again that it sent to the portal (contract §4.6). The website's own proxy may set
/// it as well.
enum HandOffCookie {
    static let name: StaticString = "__Host-drawbridge_handoff"

    private static let lifetime = Duration.seconds(300)

    static func set(_ state: String, in headers: inout HTTPFields) { headers.setCookie(name, state, for: lifetime) }

    static func clear(in headers: inout HTTPFields) { headers.clearCookie(name) }
}
