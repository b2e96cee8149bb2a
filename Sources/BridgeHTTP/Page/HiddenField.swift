/// A hidden field of a form.
struct HiddenField: Hashable, Sendable {
    let name: String
    let value: String

    /// The field as templates read it.
    var values: [String: String] { ["name": name, "value": value] }
}
