/// What an app's user agent calls the device: text from outside that other people will read.
enum DeviceName {
    /// Without control characters and surrounding space, at most 64 characters; `nil` when nothing is left.
    static func clean(_ text: String?) -> String? {
        guard let text else { return nil }
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: true
            }
        }
        var words = String(String.UnicodeScalarView(scalars)).prefix(64)
        while words.first == " " { words.removeFirst() }
        while words.last == " " { words.removeLast() }
        return words.isEmpty ? nil : String(words)
    }

    /// The first product of a user agent, such as `ExampleApp/3.1`; `nil` for a browser's, which names everything,
    /// and for ``RequestOrigin/redactedUserAgent``.
    static func fromUserAgent(_ userAgent: String?) -> String? {
        guard userAgent != RequestOrigin.redactedUserAgent,
            let product = userAgent?.split(separator: " ").first, !product.hasPrefix("Mozilla/")
        else { return nil }
        return clean(String(product))
    }
}
