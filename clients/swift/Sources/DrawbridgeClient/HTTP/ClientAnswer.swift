import Foundation

/// One answer of the provider. Its body is not printed: there may be tokens in it.
public struct ClientAnswer: Sendable {
    /// The status code.
    public let status: Int
    /// By lower-case name.
    public let headers: [String: String]
    /// All of it.
    public let body: Redacted<[UInt8]>

    /// - Parameters:
    ///   - status: the status code.
    ///   - headers: by name in any case.
    ///   - body: all of it.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = Redacted(body)
    }

    /// More than any answer of a provider has.
    static let maximumBody = 1 << 20

    /// The body as JSON of this shape.
    func decode<Value: Decodable>(_ type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body.expose()))
    }

    /// The media type, lower case, without parameters.
    var mediaType: String? {
        headers["content-type"]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The error in `WWW-Authenticate`.
    var challenge: String? {
        guard let header = headers["www-authenticate"], let start = header.range(of: "error=\"") else { return nil }
        let code = header[start.upperBound...].prefix { $0 != "\"" }
        return code.isEmpty || code.utf8.count > 64 ? nil : String(code)
    }

    /// Whether the same request would pass with the nonce that came along (RFC 9449 §8, §9).
    var wantsNonce: Bool {
        status >= 400 && headers["dpop-nonce"] != nil
            && (decode(OAuthRefusal.self)?.code ?? challenge) == "use_dpop_nonce"
    }

    /// The seconds of a `Retry-After`, which is a number or a date (RFC 9110 §10.2.3).
    private static func seconds(of text: String, at now: Date) -> Int? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.count < 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int(text)
        }
        let style = DateFormatter()
        style.locale = Locale(identifier: "en_US_POSIX")
        style.timeZone = TimeZone(secondsFromGMT: 0)
        style.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = style.date(from: text) else { return nil }
        return max(0, Int(date.timeIntervalSince(now).rounded(.up)))
    }

    /// What an answer that is not a success says.
    /// - Parameter now: this device's clock, for a `Retry-After` that is a date.
    func failure(of what: String, at now: Date) -> ClientError {
        let wait = headers["retry-after"].flatMap { Self.seconds(of: $0, at: now) }
        switch status {
        case 429, 502, 503, 504: return .comeBackLater(seconds: wait)
        case 400..<500:
            if let refusal = decode(OAuthRefusal.self) { return .refused(refusal) }
            // A challenge may have no body (RFC 6750 §3.1).
            if let challenge { return .refused(OAuthRefusal(code: challenge)) }
            return status == 401
                ? .refused(OAuthRefusal(code: "invalid_token")) : .unexpectedAnswer("\(what) answered \(status)")
        default: return .unexpectedAnswer("\(what) answered \(status)")
        }
    }
}
