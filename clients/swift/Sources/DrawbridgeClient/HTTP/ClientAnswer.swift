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
    var challenge: String? { challenged("error", atMost: 64) }

    /// What `WWW-Authenticate` says under a name.
    private func challenged(_ name: String, atMost length: Int) -> String? {
        guard let header = headers["www-authenticate"], let start = header.range(of: "\(name)=\"") else { return nil }
        let value = header[start.upperBound...].prefix { $0 != "\"" }
        return value.isEmpty || value.utf8.count > length ? nil : String(value)
    }

    /// How strong a sign-in would do (RFC 9470 §3).
    private var wantedLevels: [String] {
        challenged("acr_values", atMost: 1024)?.split(separator: " ").map { String($0) } ?? []
    }

    /// How fresh a sign-in would do, in seconds.
    private var wantedAge: Int? {
        guard let text = challenged("max_age", atMost: 9), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
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

    /// Whether a proxy answered a renewal that may have happened: waiting then means coming too late to repeat it
    /// (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11).
    var losesRenewal: Bool {
        switch status {
        case 502, 504: true
        case 503: decode(OAuthRefusal.self)?.code != "temporarily_unavailable"
        default: false
        }
    }

    /// To find the request in the provider's log: every answer has one (contract §11).
    var requestID: String? { headers["x-request-id"].flatMap { Self.isRequestID($0) ? $0 : nil } }

    /// One that a line of a log can hold, for people to pass on.
    private static func isRequestID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The error for an answer that is none to this request.
    func unexpected(_ what: String) -> ClientError { .unexpectedAnswer(what, requestID: requestID) }

    /// What an answer that is not a success says.
    /// - Parameters:
    ///   - now: this device's clock, for a `Retry-After` that is a date.
    ///   - issuer: whose answer it is, and whose page may explain it.
    func failure(of what: String, at now: Date, by issuer: IssuerAddress) -> ClientError {
        let said = decode(OAuthRefusal.self)
        let requestID = said?.requestID.flatMap { Self.isRequestID($0) ? $0 : nil } ?? self.requestID
        switch status {
        case 429, 502, 503, 504:
            let wait = headers["retry-after"].flatMap { Self.seconds(of: $0, at: now) }
            return .comeBackLater(seconds: wait, requestID: requestID)
        case 400..<500:
            // A challenge may have no body (RFC 6750 §3.1).
            guard let code = said?.code ?? challenge ?? (status == 401 ? "invalid_token" : nil) else { break }
            return .refused(
                OAuthRefusal(
                    code: code, explanation: said?.explanation, page: said?.page.flatMap { issuer.page($0) },
                    requestID: requestID, levels: wantedLevels, maximumAge: wantedAge))
        default: break
        }
        return .unexpectedAnswer("\(what) answered \(status)", requestID: requestID)
    }
}
