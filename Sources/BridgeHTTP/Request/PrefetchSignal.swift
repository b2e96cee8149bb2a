import HTTPTypes

/// Whether a request says that it is a prefetch or a preview (contract §4.2).
enum PrefetchSignal {
    private static let fields: [HTTPField.Name] = [
        .literal("Sec-Purpose"), .literal("Purpose"), .literal("X-Purpose"), .literal("X-Moz"),
    ]
    private static let words = ["prefetch", "prerender", "preview"]

    static func isPresent(in headers: HTTPFields) -> Bool {
        isOfBrowser(headers) || headers.value(of: .userAgent).map { LinkPreviewAgents.matches($0) } ?? false
    }

    /// Whether a browser says so, which has its user's cookies and asks again when its user comes. By its name alone a
    /// program may also be one in which somebody looks at pages.
    static func isOfBrowser(_ headers: HTTPFields) -> Bool {
        for field in fields {
            for value in headers.values(of: field) {
                let value = value.lowercased()
                if words.contains(where: { value.contains($0) }) { return true }
            }
        }
        return false
    }
}
