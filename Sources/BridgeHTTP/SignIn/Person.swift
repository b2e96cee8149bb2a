import Bridge

/// A user as a page that names two of them does: a name can be imitated, an id cannot.
struct Person: Sendable {
    let name: String
    /// `nil` where it is the name.
    let id: String?

    /// Never the e-mail address: whoever opens somebody's link sees this.
    /// - Parameter account: `nil` for a user whom another issuer vouches for.
    init(_ subject: Subject, _ account: Account?) {
        name = account?.displayName ?? account?.username?.text ?? subject.rawValue
        id = name == subject.rawValue ? nil : subject.rawValue
    }

    /// The person as templates read it.
    var values: [String: String] { ["name": name].merging(id.map { ["id": $0] } ?? [:]) { name, _ in name } }
}
