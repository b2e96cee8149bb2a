import Crypto

/// The secret half of PKCE (RFC 7636): the redeemer of the code must hold it.
struct CodeVerifier: Sendable {
    let text: Redacted<String>

    /// 256 bits, as RFC 7636 §7.1 recommends.
    init(random: RandomSource) { text = Redacted(random.text(32)) }

    /// `code_challenge` for `S256`. The other method, `plain`, is not there to be fallen back to.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Array(text.expose().utf8))) }
}
