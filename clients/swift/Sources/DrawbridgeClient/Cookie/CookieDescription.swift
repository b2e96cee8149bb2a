import Foundation

/// `application/vnd.drawbridge.cookies+json`: cookies for clients that cannot read `Set-Cookie` (contract §5.4).
struct CookieDescription: Decodable {
    static let mediaType = "application/vnd.drawbridge.cookies+json"

    let cookies: [WebViewCookie]

    private enum CodingKeys: String, CodingKey { case cookies }

    init(from decoder: any Decoder) throws {
        cookies = try decoder.container(keyedBy: CodingKeys.self).decode([Entry].self, forKey: .cookies).map(\.cookie)
    }

    private struct Entry: Decodable {
        let cookie: WebViewCookie

        private enum CodingKeys: String, CodingKey {
            case name, value, domain, host, path, expires
            case isHTTPOnly = "http_only"
            case sameSite = "same_site"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            let text = try members.decode(String.self, forKey: .expires)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            cookie = WebViewCookie(
                name: try members.decode(String.self, forKey: .name),
                value: Redacted(try members.decode(String.self, forKey: .value)),
                domain: try members.decodeIfPresent(String.self, forKey: .domain),
                host: try members.decodeIfPresent(String.self, forKey: .host),
                path: try members.decode(String.self, forKey: .path), expiresAt: try style.parse(text),
                isHTTPOnly: try members.decode(Bool.self, forKey: .isHTTPOnly),
                sameSite: try members.decode(String.self, forKey: .sameSite))
        }
    }
}
