/// Carries one request to the provider. The library has one for `URLSession`; tests and apps may bring their own.
///
/// It must not follow redirects, keep cookies or cache: an answer of another address is not the provider's.
public protocol HTTPTransport: Sendable {
    /// Sends and waits for the whole answer, no longer than the request's own ``ClientRequest/patience``: a renewal whose
    /// answer is lost can be asked for again for a few seconds only.
    /// - Throws: ``ClientError/unreachable(_:)`` when no answer came.
    func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer
}
