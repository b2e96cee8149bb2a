extension String {
    /// Whether it is one line of text: no control characters of ASCII in it.
    /// - Parameter limit: the most bytes in UTF-8.
    package func isLine(upTo limit: Int) -> Bool {
        utf8.count <= limit && unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// The text in one line: a space for each control character and each other separator of lines.
    package var inOneLine: String {
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }

    /// Whether it reads as it is written, in one line: no control characters, no other separators of lines, and no marks
    /// that turn the direction of what follows.
    var readsAsWritten: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }
}
