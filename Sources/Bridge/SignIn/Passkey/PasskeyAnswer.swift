import Crypto
package import OAuth2

/// What a browser answers that was asked to make a passkey.
package struct MadePasskey: Sendable {
    private let clientData: [UInt8]
    private let attestation: [UInt8]

    /// - Returns: `nil` when a field is missing or no base64url.
    package init?(_ form: FormParameters) {
        guard let clientData = form["client_data"].flatMap({ Base64URL.decode($0) }),
            let attestation = form["attestation"].flatMap({ Base64URL.decode($0) })
        else { return nil }
        self.clientData = clientData
        self.attestation = attestation
    }

    /// The credential (Web Authentication §7.1).
    ///
    /// The statement of the authenticator's maker is not looked at: none was asked for, so the model is not known.
    func credential(
        for challenge: PasskeyChallenge, at party: PasskeyParty
    ) throws(PasskeyRefusal) -> (id: [UInt8], key: VerificationKey, signCount: UInt32) {
        try CeremonyStatement.check(
            clientData,
            against: CeremonyStatement.Terms(ceremony: .create, challenge: challenge.bytes, origin: party.origin))
        guard let members = CBORValue.parse(attestation)?.map, members[.text("fmt")]?.text != nil,
            members[.text("attStmt")]?.map != nil,
            let data = members[.text("authData")]?.bytes.flatMap({ AuthenticatorStatement($0) }),
            let credential = data.credential
        else { throw .malformed }
        try data.check(for: party)
        return (credential.id, credential.key, data.signCount)
    }
}

/// What a browser answers that was asked to use a passkey.
package struct PasskeyAssertion: Sendable {
    let mark: String
    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]
    private let userHandle: String

    /// - Returns: `nil` when a field is missing or no base64url. The user's handle must be there: which account it is
    ///   comes from the passkey alone.
    package init?(_ form: FormParameters) {
        guard let id = form["credential"].flatMap({ Base64URL.decode($0) }),
            (1...AuthenticatorStatement.longestID).contains(id.count),
            let clientData = form["client_data"].flatMap({ Base64URL.decode($0) }),
            let authenticatorData = form["authenticator_data"].flatMap({ Base64URL.decode($0) }),
            let signature = form["signature"].flatMap({ Base64URL.decode($0) }),
            let userHandle = form["user_handle"], Base64URL.decode(userHandle)?.isEmpty == false
        else { return nil }
        mark = Passkey.mark(ofCredential: id)
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// What the answer says of the passkey's use (Web Authentication §7.2). Whether the counter goes on is decided where
    /// it is kept.
    /// - Returns: the authenticator's count.
    func check(
        _ passkey: Passkey, for challenge: PasskeyChallenge, at party: PasskeyParty
    ) throws(PasskeyRefusal) -> Int64 {
        try CeremonyStatement.check(
            clientData,
            against: CeremonyStatement.Terms(ceremony: .get, challenge: challenge.bytes, origin: party.origin))
        guard let data = AuthenticatorStatement(authenticatorData) else { throw .malformed }
        try data.check(for: party)
        guard passkey.relyingParty.hasSameBytes(as: party.id) else { throw .wrongRelyingParty }
        guard ConstantTime.equals(userHandle.utf8, passkey.userHandle.utf8) else { throw .wrongUser }
        guard isSigned(by: passkey) else { throw .wrongSignature }
        return Int64(data.signCount)
    }

    private func isSigned(by passkey: Passkey) -> Bool {
        guard let key = passkey.key else { return false }
        let message = authenticatorData + SHA256Hash(of: clientData).bytes
        guard passkey.algorithm == .es256 else { return key.isValid(signature, for: message, by: passkey.algorithm) }
        // In DER here (§6.5.5), where JOSE writes two plain numbers.
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return key.isValid(Array(signature.rawRepresentation), for: message, by: .es256)
    }
}

extension AuthenticatorStatement {
    /// What both ceremonies ask of an authenticator.
    fileprivate func check(for party: PasskeyParty) throws(PasskeyRefusal) {
        guard party.isMeant(by: self) else { throw .wrongRelyingParty }
        guard isUserPresent else { throw .userNotPresent }
        guard isUserVerified else { throw .userNotVerified }
    }
}
