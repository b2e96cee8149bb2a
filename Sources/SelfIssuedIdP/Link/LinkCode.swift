/// What a website gives an app of its own that is signed in, so that the phone's key can be linked to the account: in one
/// line, `https://<website>/api/self-issued/links?client_id=…&nonce=…`.
public struct LinkCode: Sendable {
    /// Whose key it is to be.
    public let website: Website
    /// Whom the proof is for.
    let audience: WebAddress
    let nonce: String

    /// - Throws: a refusal of the stage `link`.
    public init(_ text: String) throws(PhoneRefusal) {
        guard text.utf8.count <= RequestLimits.link else { throw PhoneRefusal(.linkTooLong, "the code is too long") }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let audience = WebAddress(parts[0]) else {
            throw PhoneRefusal(.linkMalformed, "the code is not a plain https address with a query")
        }
        guard let list = FormEncoding.decode(parts[1]) else {
            throw PhoneRefusal(.linkMalformed, "the code has a broken escape")
        }
        let parameters = Dictionary(list.map { ($0.name, $0.value) }) { first, _ in first }
        guard parameters.count == list.count else {
            throw PhoneRefusal(.parameterRepeated, "the code says something twice")
        }
        guard let client = parameters["client_id"].flatMap(WebAddress.init) else {
            throw PhoneRefusal(.parameterMissing, "the code names no website by a plain https client_id")
        }
        // Or a code of one website could ask for the key of another.
        guard client.website == audience.website else {
            throw PhoneRefusal(.linkMalformed, "the code is of \(audience.website), and names \(client.website)")
        }
        guard let nonce = parameters["nonce"], RequestLimits.nonce.contains(nonce.utf8.count) else {
            throw PhoneRefusal(.nonceLength, "the code's nonce is missing, or not of 8 to 256 characters")
        }
        website = client.website
        self.audience = audience
        self.nonce = nonce
    }
}
