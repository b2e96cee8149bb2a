import Bridge
import HTTPTypes
import OAuth2

/// Cookies of the profile `tokens`, as header lines and as JSON.
enum TokenCookies {
    static let mediaType = "application/vnd.drawbridge.cookies+json"

    static func set(_ cookies: [TokenCookie], at now: Timestamp, in headers: inout HTTPFields) {
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: line(cookie, at: now))) }
    }

    /// `Expires` as well as `Max-Age`: the VA's cookies have it, and old jars know nothing else.
    static func line(_ cookie: TokenCookie, at now: Timestamp) -> String {
        let seconds = max(0, cookie.maximumAge.inMilliseconds / 1000)
        let expiry = seconds == 0 ? Timestamp(milliseconds: 0) : now + .seconds(seconds)
        var line = "\(cookie.name)=\(cookie.value.expose())"
        if let domain = cookie.domain { line += "; Domain=\(domain)" }
        line += "; Path=\(cookie.path); Expires=\(HTTPDate(expiry).text); Max-Age=\(seconds); Secure"
        if cookie.isHTTPOnly { line += "; HttpOnly" }
        return line + "; SameSite=Lax"
    }

    /// For a client that cannot read `Set-Cookie` and fills its cookie store itself.
    /// - Parameter host: the website's, whose cookies those without a domain are.
    static func json(_ cookies: [TokenCookie], host: String, at now: Timestamp) -> String {
        let objects = cookies.map { cookie in
            let seconds = max(0, cookie.maximumAge.inMilliseconds / 1000)
            var object = JSONObjectWriter()
            object.add("name", cookie.name)
            object.add("value", cookie.value.expose())
            if let domain = cookie.domain { object.add("domain", domain) } else { object.add("host", host) }
            object.add("path", cookie.path)
            object.add("expires", (now + .seconds(seconds)).rfc3339)
            object.add("max_age", seconds)
            object.add("secure", true)
            object.add("http_only", cookie.isHTTPOnly)
            object.add("same_site", "Lax")
            return object
        }
        var body = JSONObjectWriter()
        body.add("cookies", objects: objects)
        return body.finishedText()
    }

    /// Whether the client asks for the description by name.
    static func isWanted(_ headers: HTTPFields) -> Bool {
        headers.values(of: .accept).contains { field in
            field.split(separator: ",").contains { HeaderText.mediaType(String($0)) == mediaType }
        }
    }
}

/// What a browser tells cookies apart by: a later one in the same place takes the earlier one's (RFC 6265 §5.3).
struct CookiePlace: Hashable {
    private let name: String
    private let path: String
    /// Without the dot that browsers pass over (RFC 6265 §5.2.3); `nil` for the host alone.
    private let domain: String?

    init(_ cookie: TokenCookie) {
        name = cookie.name
        path = cookie.path
        domain = cookie.domain.map(Self.canonical)
    }

    /// - Parameter line: a `Set-Cookie` of ours, which names its path.
    init(line: String) {
        let parts = line.split(separator: "; ")
        func attribute(_ start: String) -> String? {
            parts.dropFirst().first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
        }
        name = String(line.prefix { $0 != "=" })
        path = attribute("Path=") ?? "/"
        domain = attribute("Domain=").map(Self.canonical)
    }

    private static func canonical(_ domain: String) -> String { domain.drop { $0 == "." }.lowercased() }
}
