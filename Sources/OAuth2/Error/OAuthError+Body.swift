extension OAuthError {
    /// The members of the JSON object that a request's body must be.
    /// - Throws: `invalid_request`.
    package static func object(inBody body: [UInt8]) throws(OAuthError) -> [String: JSONValue] {
        guard let object = JSONValue.parse(bytes: body)?.object else {
            throw OAuthError(.invalidRequest, "the body is not a JSON object, or it repeats a member")
        }
        return object
    }
}
