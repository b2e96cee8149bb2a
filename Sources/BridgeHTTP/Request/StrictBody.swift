import OAuth2

/// What bodies that are read strictly have in common: each member is a known one, or the body is refused.
enum StrictBody {
    /// The members of a JSON body by their names' order, without those that are null. A dictionary has another order in
    /// each process, and of several faults the same one is to be told each time.
    /// - Throws: `invalid_request` for what is no object, and for the first member that is not among `names`.
    static func members(
        ofJSON body: [UInt8], knowing names: some Collection<String>
    ) throws(OAuthError) -> [(name: String, value: JSONValue)] {
        let members = try OAuthError.object(inBody: body).sorted { $0.key < $1.key }
        if let unknown = members.first(where: { !names.contains($0.key) }) {
            throw OAuthError.unknown(unknown.key, as: "member of this body", known: names)
        }
        return members.filter { !$0.value.isNull }.map { (name: $0.key, value: $0.value) }
    }

    /// The answer to parameters with an escape that is none, or to too many.
    static let malformedForm = OAuthError(.invalidRequest, "the parameters are not form-url-encoded")
}
