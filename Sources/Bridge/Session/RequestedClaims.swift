import OAuth2

/// The `claims` parameter of an authorization request (OpenID Connect Core §5.5), as far as it asks for names.
package struct RequestedClaims: Hashable, Sendable {
    package let userInfo: Set<String>
    package let idToken: Set<String>

    package static let none = RequestedClaims(userInfo: [], idToken: [])

    package init(userInfo: Set<String>, idToken: Set<String>) {
        self.userInfo = userInfo
        self.idToken = idToken
    }

    /// Reads the parameter; unknown names are kept, since they are left out of the answer.
    /// - Returns: `nil` for text that is not a JSON object of objects.
    package init?(_ text: String) {
        guard let members = JSONValue.parse(text.utf8)?.object else { return nil }
        self.init(members)
    }

    /// Reads a parameter that was parsed before.
    init?(_ members: [String: JSONValue]) {
        var names: [String: Set<String>] = [:]
        for place in ["userinfo", "id_token"] {
            guard let value = members[place], !value.isNull else { continue }
            guard let object = value.object, object.values.allSatisfy({ $0.isNull || $0.object != nil }) else {
                return nil
            }
            names[place] = Set(object.keys)
        }
        self.init(userInfo: names["userinfo"] ?? [], idToken: names["id_token"] ?? [])
    }

    package var isEmpty: Bool { userInfo.isEmpty && idToken.isEmpty }

    /// The names alone, in a form that ``init(_:)`` reads.
    package var text: String {
        func list(_ names: Set<String>) -> JSONValue {
            .object(Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.null) }))
        }
        return JSONValue.object(["userinfo": list(userInfo), "id_token": list(idToken)]).text
    }
}
