/// The members of a request, wherever they stand: in a file, in a signed object, or in the link.
struct RequestParameters {
    private let members: [String: JSONValue]
    /// What a website says of itself: `registration.claims` of 2012, `registration` of Core, `client_metadata` of
    /// SIOPv2; the later ones first.
    private let registration: [[String: JSONValue]]

    /// From a link that holds the request itself: its objects are JSON text.
    init(link: [String: String]) throws(PhoneRefusal) {
        var members: [String: JSONValue] = [:]
        for (name, text) in link {
            guard ["registration", "client_metadata", "claims"].contains(name) else {
                members[name] = .string(text)
                continue
            }
            guard let value = JSONValue(json: Array(text.utf8)), value.members != nil else {
                throw PhoneRefusal(.requestMalformed, "\(name) in the link is no JSON object")
            }
            members[name] = value
        }
        self.init(members)
    }

    init(_ members: [String: JSONValue]) {
        self.members = members
        let older = members["registration"]?.members
        registration = [members["client_metadata"]?.members, older, older?["claims"]?.members].compactMap(\.self)
    }

    func text(_ name: String) throws(PhoneRefusal) -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard let text = value.string else { throw PhoneRefusal(.requestMalformed, "\(name) is no text") }
        return text
    }

    func words(_ name: String) throws(PhoneRefusal) -> Set<String> {
        Set((try text(name) ?? "").split(separator: " ").map(String.init))
    }

    func object(_ name: String) throws(PhoneRefusal) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        guard value.members != nil else { throw PhoneRefusal(.requestMalformed, "\(name) is no object") }
        return value
    }

    /// The first of these that the website says of itself; the names changed over the years.
    func registered(_ names: String...) -> JSONValue? {
        for members in registration { for name in names { if let value = members[name] { return value } } }
        return nil
    }
}
