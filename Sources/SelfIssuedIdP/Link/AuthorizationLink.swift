/// The link that a website opens the phone with, in each of its spellings: `openid://authz?…`, `openid://?…`,
/// `siopv2://?…`, and the https link that an installed app claims.
public struct AuthorizationLink: Sendable {
    /// Where the claimed https link leads to (contract §10).
    private static let claimedPath = "/self-issued/open"

    let parameters: [String: String]
    /// Where the request file lies; `nil` when the link holds the request itself.
    public let requestAddress: WebAddress?

    /// - Throws: a refusal of the stage `link`.
    public init(_ text: String) throws(PhoneRefusal) {
        guard text.utf8.count <= RequestLimits.link else {
            throw PhoneRefusal(.linkTooLong, "the link is longer than \(RequestLimits.link) characters")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#") else {
            throw PhoneRefusal(.linkMalformed, "the link has a fragment, a space or a character that links do not have")
        }
        guard let query = Self.query(of: text) else {
            throw PhoneRefusal(
                .linkUnknown, "this is no openid:// or siopv2:// link, and no https link of a sign-in with the phone")
        }
        guard let list = FormEncoding.decode(query) else {
            throw PhoneRefusal(.linkMalformed, "the link has a broken escape")
        }
        parameters = Dictionary(list.map { ($0.name, $0.value) }) { first, _ in first }
        guard parameters.count == list.count else {
            throw PhoneRefusal(.parameterRepeated, "the link says something twice")
        }
        guard parameters["request"] == nil else {
            throw PhoneRefusal(
                .requestByValueUnsupported, "a signed request inside the link is not supported; use request_uri")
        }
        requestAddress = try Self.requestAddress(parameters)
    }

    private static func requestAddress(_ parameters: [String: String]) throws(PhoneRefusal) -> WebAddress? {
        guard let reference = parameters["request_uri"] else {
            guard parameters["response_type"] != nil, parameters["client_id"] != nil else {
                throw PhoneRefusal(
                    .parameterMissing, "the link has neither request_uri nor response_type and client_id")
            }
            return nil
        }
        guard let address = WebAddress(reference) else {
            throw PhoneRefusal(
                .requestURIInvalid,
                "request_uri must be a plain https address without user name and fragment: \(reference)")
        }
        return address
    }

    private static func query(of text: String) -> Substring? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        let head = text[..<mark]
        let query = text[text.index(after: mark)...]
        guard let colon = head.firstIndex(of: ":") else { return nil }
        let rest = head[head.index(after: colon)...]
        switch head[..<colon].lowercased() {
        case "openid", "siopv2":
            return ["", "//", "///", "//authz", "//authz/", "//authorize", "//authorize/"].contains(rest) ? query : nil
        case "https":
            return WebAddress(String(head)).map { $0.target == claimedPath } == true ? query : nil
        default: return nil
        }
    }
}
