/// What a form's button says, for the page that shows the form once more after a sign-in.
struct FormButton: Sendable {
    /// A text of the catalogue.
    typealias Text = (section: String, key: String)

    /// May name what the end of the address does, as `{id}`, `{key}` or `{name}`.
    let text: Text
    /// The label of what the address names, where the button does not say it.
    let label: Text?
}
