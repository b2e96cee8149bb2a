import Bridge
import OAuth2

/// A form that says, in a hidden field beside each one, what that one showed: what somebody typed is told from what they
/// left alone, so that a page which was opened a while ago takes no other administrator's change back.
struct ShownFields: Sendable {
    /// What becomes of a field.
    enum Wish: Hashable, Sendable {
        /// It was left alone, or is so already.
        case nothing
        case change(String)
        /// Somebody else has changed it since the page was shown.
        case overtaken(String)

        /// What was typed, for the page that says why it was not saved.
        var typed: String? {
            switch self {
            case .nothing: nil
            case .change(let text), .overtaken(let text): text
            }
        }
    }

    private let form: FormParameters

    init(_ form: FormParameters) { self.form = form }

    /// What the names of hidden fields begin with.
    static let prefix = "shown."

    /// The hidden field beside a field.
    static func name(beside field: String) -> String { prefix + field }

    /// - Parameter now: what the field would show now.
    func wish(for field: String, now: String) -> Wish {
        guard form.names.contains(field) else { return .nothing }
        let typed = form[field] ?? ""
        let shown = shown(field) ?? now
        if typed.hasSameBytes(as: shown) || typed.hasSameBytes(as: now) { return .nothing }
        return shown.hasSameBytes(as: now) ? .change(typed) : .overtaken(typed)
    }

    /// What the hidden field is to say when the form comes back: what is there now, but where that would pass over a
    /// change of somebody else of which the page does not tell.
    func next(_ field: String, now: String, isTold: Bool) -> String {
        guard case .overtaken = wish(for: field, now: now), !isTold else { return now }
        return shown(field) ?? now
    }

    /// - Returns: `nil` where the form does not say it, such as that of an earlier version.
    private func shown(_ field: String) -> String? {
        let name = Self.name(beside: field)
        return form.names.contains(name) ? form[name] ?? "" : nil
    }
}
