/// Carries one request to a website over TLS. The app brings it, because only it knows its platform's.
///
/// What every implementation keeps: TLS 1.2 or later, chain and host name checked; the addresses of the host checked
/// with ``PublicNetwork`` after resolving and that very address connected to; no redirects, no cookies, no cache; at
/// most ``maximumBytes`` of body and ``maximumSeconds`` in all.
public protocol WebsiteTransport: Sendable {
    /// Sends, and waits for the whole answer, whatever its status.
    /// - Throws: a refusal of the stage `network`.
    func send(_ request: WebsiteRequest) async throws(PhoneRefusal) -> WebsiteAnswer
}

/// What goes to a website.
public struct WebsiteRequest: Sendable {
    /// The largest answer that is read.
    public static let maximumBytes = 65_536
    /// For all of it: names, connection, certificate, answer.
    public static let maximumSeconds: Int64 = 5

    /// Where the request goes.
    public let address: WebAddress
    /// `Accept`.
    public let accept: String
    /// A form to post; `nil` fetches.
    public let form: Redacted<String>?
}

/// What a website answered, and who it proved to be.
public struct WebsiteAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    let certificate: CertificateNames

    /// - Parameter certificate: the one that was presented and verified.
    public init(status: Int, body: [UInt8], certificate: CertificateNames) {
        self.status = status
        self.body = body
        self.certificate = certificate
    }
}

/// The names in a certificate's subjectAltName. The common name is none of them: RFC 9525 §2 drops it.
public struct CertificateNames: Sendable {
    private let dnsNames: [String]
    private let addresses: [String]

    /// - Parameter addresses: IPv4 addresses as text.
    public init(dnsNames: [String], addresses: [String] = []) {
        self.dnsNames = dnsNames.map { $0.lowercased() }
        self.addresses = addresses
    }

    /// Whether the certificate speaks for the host of `address` (RFC 9525 §6.3).
    func cover(_ address: WebAddress) -> Bool {
        if address.isAddress { return addresses.contains(address.host) }
        return dnsNames.contains { name in
            guard name.hasPrefix("*.") else { return name == address.host }
            // A wildcard is the whole left-most label, for one label, and never right above a top-level domain.
            let parent = name.dropFirst(2)
            let labels = address.host.split(separator: ".", maxSplits: 1)
            return parent.contains(".") && !parent.contains("*") && labels.count == 2 && labels[1] == parent
        }
    }
}
