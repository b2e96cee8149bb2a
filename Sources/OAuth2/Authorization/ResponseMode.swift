/// How an answer to an authorization request travels to the client.
package enum ResponseMode: String, Hashable, Sendable, CaseIterable {
    /// The answer is in the redirect's query.
    case query
    /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode): codes stay out of addresses and logs.
    case formPost = "form_post"
}
