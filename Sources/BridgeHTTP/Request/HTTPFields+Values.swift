import HTTPTypes

/// The subscripts of HTTPTypes join or map even a single value through unspecialised generics, which costs more than
/// reading a whole form. These read the fields in place.
extension HTTPFields {
    /// The values of a field in their order, each time it occurs.
    func values(of name: HTTPField.Name) -> [String] {
        var values: [String] = []
        for field in self where field.name == name { values.append(field.value) }
        return values
    }

    /// The value of a field; several are joined into a list (RFC 9110 §5.3).
    func value(of name: HTTPField.Name, separator: String = ", ") -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        guard self[(first + 1)...].contains(where: { $0.name == name }) else { return self[first].value }
        return values(of: name).joined(separator: separator)
    }
}
