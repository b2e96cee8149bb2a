/// One request to the provider. What it carries is not printed: there are secrets in it.
public struct ClientRequest: Sendable {
    /// `GET` or `POST`.
    public let method: String
    /// The absolute address.
    public let address: String
    /// By name.
    public let headers: Redacted<[String: String]>
    /// The body of a `POST`.
    public let body: Redacted<[UInt8]>?
    /// Seconds for the whole answer, at most; `nil`: as long as the transport waits for any.
    public let patience: Double?

    private init(
        _ method: String, _ address: String, _ headers: [String: String], _ body: String?, patience: Double? = nil
    ) {
        self.method = method
        self.address = address
        self.headers = Redacted(headers)
        self.body = body.map { Redacted(Array($0.utf8)) }
        self.patience = patience
    }

    static func get(_ address: String, bearer: Redacted<String>? = nil) -> ClientRequest {
        ClientRequest("GET", address, authorization(bearer).merging(json) { $1 }, nil)
    }

    static func form(
        _ parameters: [(name: String, value: String)], to address: String, accept: String = "application/json",
        patience: Double? = nil
    ) -> ClientRequest {
        ClientRequest(
            "POST", address, ["Content-Type": "application/x-www-form-urlencoded", "Accept": accept],
            FormEncoding.encode(parameters), patience: patience)
    }

    static func json(_ body: String, to address: String, bearer: Redacted<String>) -> ClientRequest {
        ClientRequest(
            "POST", address,
            authorization(bearer).merging(json) { $1 }.merging(["Content-Type": "application/json"]) { $1 }, body)
    }

    private init(_ request: ClientRequest, _ headers: [String: String]) {
        method = request.method
        address = request.address
        self.headers = Redacted(headers)
        body = request.body
        patience = request.patience
    }

    /// This request with a proof of possession; a bearer in it is then presented as bound (RFC 9449 §7.1).
    func proved(by proof: String) -> ClientRequest {
        var headers = headers.expose()
        headers["DPoP"] = proof
        if let bearer { headers["Authorization"] = "DPoP \(bearer.expose())" }
        return ClientRequest(self, headers)
    }

    /// The token that it presents.
    var bearer: Redacted<String>? {
        headers.expose()["Authorization"].flatMap { $0.split(separator: " ").last.map { Redacted(String($0)) } }
    }

    private static let json = ["Accept": "application/json"]

    private static func authorization(_ bearer: Redacted<String>?) -> [String: String] {
        bearer.map { ["Authorization": "Bearer \($0.expose())"] } ?? [:]
    }
}
