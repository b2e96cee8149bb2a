extension String {
    /// Whether it is one line of text: no control characters of ASCII in it.
    /// - Parameter limit: of its bytes in UTF-8.
    package func isLine(upTo limit: Int) -> Bool {
        utf8.count <= limit && unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
