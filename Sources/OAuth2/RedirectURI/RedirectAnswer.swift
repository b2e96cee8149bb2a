/// Where an authorization answer sends the browser: the redirect URI with parameters appended.
package enum RedirectAnswer {
    /// Appends parameters, form-encoded; a query that the client registered stays as it is (RFC 6749 §3.1.2).
    /// - Parameter uri: the requested redirect URI, which was matched before.
    package static func location(_ uri: String, _ parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return "\(uri)?\(query)" }
        let isEmpty = uri.utf8.index(after: mark) == uri.utf8.endIndex
        return isEmpty || uri.utf8.last == UInt8(ascii: "&") ? uri + query : "\(uri)&\(query)"
    }
}
