/// What a claim's text may look like before it becomes an identifier in our stores, headers and logs.
enum ClaimText {
    /// 1 to 255 bytes, no control characters (C0, DEL, C1) and no line or paragraph separators.
    static func isAcceptable(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                // Nearly every one is; a category is looked up in tables.
                if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
                return switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
    }
}
