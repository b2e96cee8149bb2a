import Foundation

/// One answer of the provider. Its body is not printed: there may be tokens in it.
public struct ClientAnswer: Sendable {
    /// The status code.
    public let status: Int
    /// By lower-case name.
    public let headers: [String: String]
    /// All of it.
    public let body: Redacted<[UInt8]>

    /// - Parameter headers: by name in any case.
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

    /// What an answer that is not a success says.
    func failure(of what: String) -> ClientError {
        let wait = headers["retry-after"].flatMap { Int($0) }
        switch status {
        case 429, 502, 503, 504: return .comeBackLater(seconds: wait)
        case 400..<500:
            if let refusal = decode(OAuthRefusal.self) { return .refused(refusal) }
            // A bare challenge has no body (RFC 6750 §3.1).
            return status == 401
                ? .refused(OAuthRefusal(code: "invalid_token")) : .unexpectedAnswer("\(what) answered \(status)")
        default: return .unexpectedAnswer("\(what) answered \(status)")
        }
    }
}
