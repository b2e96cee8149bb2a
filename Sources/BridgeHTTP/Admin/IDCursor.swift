import OAuth2

/// Where a page of a list in the order of ids ended. The list goes on there, though the one with that id may be gone by
/// the next page.
struct IDCursor {
    /// A cursor of one list is not valid in the other.
    enum List: String { case users, clients }

    let list: List
    let id: String

    /// What pages get and give back; opaque to them.
    var text: String {
        var object = JSONObjectWriter()
        object.add(list.rawValue, id)
        return Base64URL.encode(object.finish())
    }

    /// The id after which the page that a query asks for begins; `nil` for the first page.
    /// - Throws: `OAuthError(.invalidRequest)` for what is not a ``text`` of this list.
    static func id(in query: FormParameters, of list: List) throws -> String? {
        guard let text = try AdminRequestReader.cursor(query) else { return nil }
        guard let bytes = Base64URL.decode(text), let id = JSONValue.parse(bytes)?.object?[list.rawValue]?.string,
            !id.utf8.contains(0)
        else { throw OAuthError(.invalidRequest, "cursor is not one of this list") }
        return id
    }
}
