import HTTPTypes

/// By what a website knows the browser again that it sent to the portal (contract §4.6). The website's own proxy may set
/// it as well.
enum HandOffCookie {
    static let name: StaticString = "__Host-drawbridge_handoff"

    /// Seconds.
    static let lifetime = 300

    static func set(_ state: String, in headers: inout HTTPFields) { append(state, lifetime, &headers) }

    static func clear(in headers: inout HTTPFields) { append("", 0, &headers) }

    private static func append(_ value: String, _ age: Int, _ headers: inout HTTPFields) {
        headers.append(
            HTTPField(
                name: .setCookie, value: "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(age)"))
    }
}
