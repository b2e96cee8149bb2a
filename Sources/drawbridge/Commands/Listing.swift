import ArgumentParser
import OAuth2

/// A list for people, with a heading and columns in line, or for programs, as JSON.
struct Listing {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    /// Names in JSON; the headings are made of them.
    let columns: [String]
    /// `nil` where a row has nothing: `-` for people, `null` for programs.
    let rows: [[String?]]

    func text(as format: Format) -> String {
        switch format {
        case .text: table
        case .json: json
        }
    }

    private var table: String {
        let heading = columns.map { $0.uppercased().replacing("_", with: " ") }
        let all = [heading] + rows.map { $0.map { ($0 ?? "-").printable } }
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            // The last column is not filled up: no line ends with spaces.
            let padded = row.enumerated().map { column, text in
                column == row.count - 1
                    ? text : text + String(repeating: " ", count: widths[column] - text.count)
            }
            return padded.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// An array with one object a line, so that line tools read it too.
    private var json: String {
        let objects = rows.map { row in
            var object = JSONObjectWriter()
            for (name, value) in zip(columns, row) {
                if let value { object.add(name, value) } else { object.addNull(name) }
            }
            return object.finishedText()
        }
        return objects.isEmpty ? "[]" : "[\n\(objects.joined(separator: ",\n"))\n]"
    }
}

extension String {
    /// For a terminal: what comes from outside neither begins a line, nor moves the cursor, nor turns letters around.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}

/// How a list is printed.
struct ListingOptions: ParsableArguments {
    @Option(help: "text, with a heading and columns, or json.") var format = Listing.Format.text
}
