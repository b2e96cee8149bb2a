import OAuth2

/// The text format's small rules (Prometheus exposition format 0.0.4).
enum PrometheusText {
    /// Everything but letters, digits, `_` and `:` becomes `_`.
    static func name(_ label: String) -> String {
        String(
            decoding: label.utf8.map { byte in
                ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: ":") ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }

    /// `a="b",c="d"` in order of name, values escaped.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(name($0.0))=\"\(escaped($0.1))\"" }
            .joined(separator: ",")
    }

    static func sample(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    static func number(_ value: Double) -> String {
        value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var output = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": output += "\\\\"
            case "\"": output += "\\\""
            case "\n": output += "\\n"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
