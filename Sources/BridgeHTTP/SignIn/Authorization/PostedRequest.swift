import Bridge
import OAuth2

/// The authorization request that another website's page posts. It comes without our cookies, which are `Lax`: nobody
/// would seem to be signed in. The `GET` that follows has them.
///
/// Its address is sealed, as that of a logout request is: a website chose a form, perhaps for a hint in it, which is a
/// token, and addresses are kept in histories and logs (RFC 9700 §4.2). The seal is nobody's in particular, and means no
/// more than a link would with the same parameters in it.
enum PostedRequest {
    /// Not `request`, which is a request object (OpenID Connect Core §6.1).
    private static let name = "request_form"
    /// As long as the pages that follow may be loaded again.
    private static let lifetime = Authorizations.journeyLifetime
    /// Bytes of the form: beyond it proxies may not take the address.
    private static let longest = 4096

    /// The posted request as an address, without a login token: sent by another website, none counts (contract §4.5).
    /// - Parameter form: as it came, so that a fault in it is still there.
    /// - Returns: `nil` for one that is too long.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may seal now.
    static func address(at page: String, of form: [UInt8], sealedWith seal: ShortLivedSeal) throws -> String? {
        let kept = form.split(separator: UInt8(ascii: "&")).filter { !isLoginToken($0) }
        let text = Array(kept.joined(separator: [UInt8(ascii: "&")]))
        guard text.count <= longest else { return nil }
        return "\(page)?\(name)=\(try seal.seal(text, lifetime: lifetime))"
    }

    /// What the parameters of a `GET` are to be read from: the form that ``address(at:of:sealedWith:)`` sealed, else the
    /// query itself.
    ///
    /// A seal that is too old, or not ours, counts as a request without parameters.
    static func text(of query: String, openedWith seal: ShortLivedSeal) -> [UInt8] {
        let text = Array(query.utf8)
        guard let sealed = (try? FormParameters(keepingMalformed: text))?[name] else { return text }
        return seal.open(sealed) ?? []
    }

    private static func isLoginToken(_ parameter: ArraySlice<UInt8>) -> Bool {
        let name = try? FormParameters.decode(parameter.prefix { $0 != UInt8(ascii: "=") })
        return name.map { $0.elementsEqual(AuthorizationParameter.loginToken.utf8) } ?? false
    }
}
