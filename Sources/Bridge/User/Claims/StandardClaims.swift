package import OAuth2

/// Standard claims that are kept of a user besides name and e-mail address (OpenID Connect Core §5.1), and `groups`,
/// checked.
///
/// What a claim says is an administrator's word; that it has the right shape is ours.
package struct StandardClaims: Hashable, Sendable {
    /// The claims by name, none of them null.
    package let values: [String: JSONValue]

    package static let none = StandardClaims()

    /// Bytes of one text.
    private static let textLimit = 1024

    private init() { values = [:] }

    /// Reads an object as an administrator writes it; a null member is left out.
    /// - Throws: ``StandardClaimsError`` for the first member that is not such a claim.
    package init(_ object: [String: JSONValue]) throws(StandardClaimsError) {
        values = object.filter { !$0.value.isNull }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let shape = Self.shapes[name] else { throw .unknownMember(name) }
            guard shape.fits(value) else { throw .shape(of: name, shape.expectation) }
        }
    }

    /// What another issuer says of its user.
    package init(_ groups: UserGroups?) { values = groups.map { [UserGroups.claim: $0.value] } ?? [:] }

    /// The names of those that say something else than in `others`, or are in one of the two alone, in order.
    package func names(differingFrom others: StandardClaims) -> [String] {
        Set(values.keys).union(others.values.keys).filter { name in
            guard let text = values[name]?.text, let other = others.values[name]?.text else { return true }
            return !text.hasSameBytes(as: other)
        }.sorted()
    }

    /// As a store keeps them; `nil` for none.
    package var text: String? { values.isEmpty ? nil : JSONValue.object(values).text }

    private static let shapes: [String: Shape] = [
        "given_name": .text, "family_name": .text, "middle_name": .text, "nickname": .text, "gender": .text,
        "zoneinfo": .text, "locale": .text, "phone_number": .text, "birthdate": .date, "profile": .address,
        "picture": .address, "website": .address, "email_verified": .flag, "phone_number_verified": .flag,
        "address": .postalAddress, UserGroups.claim: .groups,
    ]

    private enum Shape {
        case text, date, address, flag, postalAddress, groups

        static let addressMembers: Set = [
            "formatted", "street_address", "locality", "region", "postal_code", "country",
        ]

        var expectation: String {
            switch self {
            case .text: "must be 1 to \(StandardClaims.textLimit) bytes of text"
            case .date: "must be a date as YYYY-MM-DD, or a year"
            case .address: "must be an http or https URL"
            case .flag: "must be true or false"
            case .postalAddress: "must be an object with members of OpenID Connect Core §5.1.1"
            case .groups: UserGroups.expectation
            }
        }

        func fits(_ value: JSONValue) -> Bool {
            switch self {
            case .text: Self.isText(value)
            case .date: Self.isDate(value.string ?? "")
            case .address:
                Self.isText(value) && ["https://", "http://"].contains { value.string?.hasPrefix($0) == true }
            case .flag: value.bool != nil
            case .groups: UserGroups(value) != nil
            case .postalAddress:
                value.object.map { members in
                    !members.isEmpty
                        && members.allSatisfy {
                            Self.addressMembers.contains($0.key) && Self.isText($0.value)
                        }
                } ?? false
            }
        }

        private static func isText(_ value: JSONValue) -> Bool {
            guard let text = value.string else { return false }
            return (1...StandardClaims.textLimit).contains(text.utf8.count) && text.contains { !$0.isWhitespace }
        }

        /// The year 0000 stands for one that is not told (Core §5.1).
        private static func isDate(_ text: String) -> Bool {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ $0.utf8.allSatisfy(ASCII.isDigit) }), parts[0].utf8.count == 4
            else { return false }
            if parts.count == 1 { return true }
            guard parts.count == 3, parts[1].utf8.count == 2, parts[2].utf8.count == 2, let month = Int(parts[1]),
                let day = Int(parts[2])
            else { return false }
            return (1...12).contains(month)
                && (1...[31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]).contains(day)
        }
    }
}

/// What is wrong with an object of standard claims.
package enum StandardClaimsError: Error, Hashable, CustomStringConvertible {
    /// A member that cannot be kept. Its name may be any text, so the description does not repeat it.
    case unknownMember(String)
    /// A claim of another shape than it must have.
    case shape(of: String, String)

    package var description: String {
        switch self {
        case .unknownMember: "claims has an unknown member"
        case .shape(let name, let expectation): "claims.\(name) \(expectation)"
        }
    }
}
