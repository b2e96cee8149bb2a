import Bridge

/// The demo's users: subjects of its one trusted issuer, and accounts of the demo itself.
struct DemoPerson: Sendable {
    let subject: String
    let name: String
    var role: String?

    static let all = [
        DemoPerson(subject: "alice", name: "Alice"), DemoPerson(subject: "bob", name: "Bob"),
        DemoPerson(subject: "admin", name: "Admin", role: "admin"),
    ]
}
