extension Decoder {
    /// Fields of any table that are for its readers.
    private static var remarks: Set<String> { ["why", "note", "ref"] }

    /// Refuses a row without input in any of the fields that are read, where it may stand in another: with
    /// `"accept": false` that row would pass without having been tried.
    /// - Parameters:
    ///   - inputs: the fields that are read; `null` in one of them says that there is no input.
    ///   - others: what else is known of the table.
    package func requireNoInput(besides inputs: Set<String>, among others: Set<String>) throws {
        let names = Set(try container(keyedBy: FieldName.self).allKeys.map(\.stringValue))
        let unknown = names.subtracting(inputs).subtracting(others).subtracting(Self.remarks)
        let astray =
            names.isDisjoint(with: inputs)
            ? unknown : unknown.filter { name in inputs.contains { name.hasPrefix("\($0)_") } }
        guard astray.isEmpty else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "its input may stand in \(astray.sorted()), which nobody reads"))
        }
    }
}

private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
