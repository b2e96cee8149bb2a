import Bridge
import OAuth2

extension Lineage {
    /// The openings above a session, in one column; nothing when there is none.
    var ancestryColumn: SQLValue {
        ancestry.isEmpty ? .null : .text(ancestry.map(\.rawValue).sorted().joined(separator: " "))
    }

    /// The apps that a session came by through exchanges, in one column; nothing when there is none.
    var appsAboveColumn: SQLValue {
        appsAbove.isEmpty ? .null : .text(appsAbove.map(\.rawValue).sorted().joined(separator: " "))
    }
}

extension SQLRow {
    func ancestry(_ column: Int) throws -> Set<SessionOpening> {
        guard let text = try optionalText(column) else { return [] }
        return Set(
            try text.split(separator: " ").map { word in
                guard let opening = SessionOpening(rawValue: String(word)) else {
                    throw StorageError.corrupt("a session's ancestry is of no known kind")
                }
                return opening
            })
    }

    /// No client's id has a space in it.
    func appsAbove(_ column: Int) throws -> Set<ClientID> {
        guard let text = try optionalText(column) else { return [] }
        return Set(text.split(separator: " ").map { ClientID(rawValue: String($0)) })
    }

    /// `auth_time`, `acr` and `amr`, in three columns from this one on.
    func authentication(_ column: Int) throws -> Authentication {
        Authentication(
            time: try optionalTimestamp(column), acr: try optionalText(column + 1),
            amr: try AuthenticationMethods.decode(try optionalText(column + 2)))
    }
}
