import Bridge
import OAuth2

extension Lineage {
    /// The openings above a session, in one column; nothing when there is none.
    var ancestryColumn: SQLValue {
        ancestry.isEmpty ? .null : .text(ancestry.map(\.rawValue).sorted().joined(separator: " "))
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

    /// `auth_time`, `acr` and `amr`, in three columns from this one on.
    func authentication(_ column: Int) throws -> Authentication {
        Authentication(
            time: try optionalTimestamp(column), acr: try optionalText(column + 1),
            amr: try AuthenticationMethods.decode(try optionalText(column + 2)))
    }
}
