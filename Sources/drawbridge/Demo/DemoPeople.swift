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

/// The demo's app and website.
enum DemoClients {
    static let app: ClientID = "demo-app"
    static let web: ClientID = "demo-web"

    static func all() throws -> [Client] {
        [
            Client(id: app, name: "Demo app", kind: .native, canIssueLoginTokens: true, mayReach: [web]),
            Client(
                id: web, name: "Demo website", kind: .web,
                returnPaths: try ReturnPathPolicy(
                    entries: ["/contacts", "/account/*", "/user/contacts/index.php"], defaultPath: "/contacts")),
        ]
    }
}
