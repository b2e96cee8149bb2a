import OAuth2

/// The six digits that an app shows for a link whose website has `redeem: code`, and that the user types into the page
/// which the link opens (contract §4.2).
///
/// Nothing is stored: a code is made from the token's id by a key of its own. The token names that key and says nothing
/// else of the code, so anyone who reads a link on its way, even a mail scanner that submits forms, has one chance in a
/// million.
struct TypedCodes: Sendable {
    let keys: Reloadable<SecretKeyRing>

    /// - Returns: `nil` for a token without a code, and where its key has been retired.
    func code(of claims: LoginTokenClaims, at now: Timestamp) -> Secret<String>? {
        guard let keyID = claims.binding.typedCodeKey,
            let code = keys.current.authenticationCode(
                for: Array(claims.id.rawValue.utf8), purpose: .typedCode, keyID: keyID, at: now)
        else { return nil }
        // 64 bits over a million: no digit is likelier than another by more than 10⁻¹³.
        return Secret(SixDigits.text(code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }

    /// Whether `typed` is the code of this token.
    func isRight(_ typed: String, for claims: LoginTokenClaims, at now: Timestamp) -> Bool {
        code(of: claims, at: now).map { ConstantTime.equals($0.expose().utf8, typed.utf8) } ?? false
    }
}
