/// A hidden field of a form.
struct HiddenField: Hashable, Sendable {
    let name: String
    let value: String
}
