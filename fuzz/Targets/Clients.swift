import Crypto
import Foundation

@testable import DrawbridgeClient
@testable import SelfIssuedIdP

extension FuzzTarget {
    static let clients = [
        FuzzTarget("phone-link", phoneLink), FuzzTarget("request-file", requestFile),
        FuzzTarget("provider-answer", providerAnswer), FuzzTarget("id-token", idToken),
    ]

    /// The address that the phone calls is the one that Foundation reads in the text that it shows.
    private static let phoneLink: @Sendable ([UInt8]) -> String? = { input in
        if let address = WebAddress(text(input)), let broken = flaw(of: address) { return broken }
        guard let link = try? AuthorizationLink(text(input)) else { return nil }
        guard let address = link.requestAddress else {
            return link.parameters["client_id"] == nil ? "a request of nobody" : nil
        }
        return flaw(of: address)
    }

    private static func flaw(of address: WebAddress) -> String? {
        guard WebAddress(address.text) == address else { return "read again it is another address" }
        guard let parts = URLComponents(string: address.text) else { return "Foundation does not read it" }
        guard parts.scheme == "https", parts.user == nil, parts.fragment == nil else { return "more than an address" }
        guard parts.host?.lowercased() == address.host, (parts.port ?? 443) == address.port else {
            return "Foundation reads another host"
        }
        return nil
    }

    /// A file is JSON or a JWT; what is signed is not taken for unsigned, and nobody's key fits by chance.
    private static let requestFile: @Sendable ([UInt8]) -> String? = { input in
        guard let file = try? RequestFile(input) else { return nil }
        switch try? file.keySource() {
        case .notNeeded?, nil: return nil
        case .here(let keys)?: _ = try? file.check(keys, at: 1_795_000_000)
        case .at(let address)?: if let broken = flaw(of: address) { return broken }
        }
        guard (try? file.check(stranger, at: 1_795_000_000)) == nil else { return "signed by a stranger" }
        return nil
    }

    private static let stranger: SelfIssuedIdP.JSONValue = {
        let point = Array(
            (try? P256.Signing.PrivateKey(rawRepresentation: Array(repeating: 5, count: 32)))?
                .publicKey.rawRepresentation ?? Data())
        let key: SelfIssuedIdP.JSONValue = .object([
            "kty": .string("EC"), "crv": .string("P-256"),
            "x": .string(SelfIssuedIdP.Base64URL.encode(Array(point.prefix(32)))),
            "y": .string(SelfIssuedIdP.Base64URL.encode(Array(point.suffix(32)))),
        ])
        return .object(["keys": .array([key])])
    }()

    /// What a provider may answer, whatever it is, is read or refused; tokens are bearer tokens or bound ones.
    private static let providerAnswer: @Sendable ([UInt8]) -> String? = { input in
        let answer = ClientAnswer(
            status: 400 + (input.count % 120), headers: ["WWW-Authenticate": text(input), "Retry-After": "1"],
            body: input)
        guard let issuer = try? IssuerAddress("https://login.example.com") else { return "an issuer that is none" }
        let failure = answer.failure(
            of: "the provider", at: Date(timeIntervalSince1970: 1_795_000_000), by: issuer)
        if case .refused(let refusal) = failure, let page = refusal.page,
            URLComponents(string: page)?.host != "login.example.com"
        {
            return "a page of another host"
        }
        if let challenge = answer.challenge, challenge.utf8.count > 64 || challenge.contains("\"") {
            return "a challenge that is too much"
        }
        _ = answer.wantsNonce
        if let tokens = answer.decode(TokenAnswer.self), tokens.expiresIn?.isFinite == false {
            return "an endless life"
        }
        if let keys = answer.decode(DrawbridgeClient.KeySet.self) {
            for key in keys.keys where key.publicKey != nil {
                if key.kty != "EC" || (key.use ?? "sig") != "sig" { return "a key of another kind" }
            }
        }
        guard let issuer = try? IssuerAddress("https://login.example.com"),
            let document = answer.decode(ProviderMetadata.Document.self),
            let metadata = try? ProviderMetadata(document, of: issuer)
        else { return nil }
        for address in [metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.keySetAddress]
        where !address.hasPrefix("https://") {
            return "an address without TLS"
        }
        return nil
    }

    /// An ID token is ES256 or none, and nobody's key fits by chance.
    private static let idToken: @Sendable ([UInt8]) -> String? = { input in
        guard let token = try? SignedIDToken(Redacted(text(input))) else { return nil }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: Array(repeating: 5, count: 32)) else {
            return "no key"
        }
        return token.isSigned(by: key.publicKey) ? "signed by a stranger" : nil
    }
}
