import OAuth2

/// The claims of a login token as JSON.
enum LoginTokenPayload {
    static func encode(_ claims: LoginTokenClaims) -> String {
        var json = JSONObjectWriter()
        json.add("iss", claims.issuer)
        json.add("aud", claims.audience.rawValue)
        json.add("sub", claims.subject.rawValue)
        json.add("iat", claims.issuedAt.seconds)
        json.add("exp", claims.expiresAt.seconds)
        json.add("jti", claims.id.rawValue)
        json.add("client_id", claims.clientID.rawValue)
        json.add("sid", claims.sessionID?.rawValue)
        json.add(claims.authentication)
        json.add("tgt", claims.target)
        json.add("cnf", json: confirmation(claims.binding))
        json.add("trace", claims.trace?.journey)
        return json.finishedText()
    }

    private static func confirmation(_ binding: LoginTokenBinding) -> String? {
        guard binding != .none else { return nil }
        var members = JSONObjectWriter()
        members.add("S256", binding.challenge?.value)
        switch binding.network {
        case .none: break
        case .network(let prefix): members.add("network", prefix.description)
        case .exact(let address): members.add("address", address.description)
        }
        members.add("hand_off", binding.handOff)
        members.add("typed_code", binding.typedCodeKey)
        return members.finishedText()
    }

    /// Reads a payload whose signature was verified.
    ///
    /// - Returns: `nil` when a claim is missing, of another kind, or given twice: our own writer does none of that, and
    ///   a binding that cannot be read must not become no binding.
    static func decode(_ bytes: [UInt8]) -> LoginTokenClaims? {
        guard let members = JSONValue.parse(bytes: bytes, depth: 4)?.object else { return nil }
        let claims = ClaimReader(members: members)
        guard let issuer = claims.text("iss"), let audience = claims.text("aud"), let subject = claims.text("sub"),
            let issuedAt = claims.instant("iat"), let expiresAt = claims.instant("exp"), let id = claims.text("jti"),
            let clientID = claims.text("client_id"), let sessionID = claims.optionalText("sid"),
            let time = claims.optionalInstant("auth_time"), let acr = claims.optionalText("acr"),
            let amr = claims.texts("amr"), let target = claims.optionalText("tgt"),
            let binding = binding(members["cnf"]), let trace = claims.optionalText("trace")
        else { return nil }
        return LoginTokenClaims(
            issuer: issuer, audience: ClientID(rawValue: audience), subject: Subject(rawValue: subject),
            issuedAt: issuedAt, expiresAt: expiresAt, id: TokenID(rawValue: id),
            clientID: ClientID(rawValue: clientID), sessionID: sessionID.map(SessionID.init(rawValue:)),
            authentication: Authentication(time: time, acr: acr, amr: amr), target: target, binding: binding,
            // Of no weight: what cannot be read is left out.
            trace: trace.flatMap { TraceContext(journey: $0) })
    }

    private static func binding(_ value: JSONValue?) -> LoginTokenBinding? {
        guard let value else { return LoginTokenBinding.none }
        guard let members = value.object else { return nil }
        let confirmation = ClaimReader(members: members)
        guard let challenge = confirmation.optionalText("S256"), let prefix = confirmation.optionalText("network"),
            let address = confirmation.optionalText("address"), let network = network(prefix, orExact: address),
            let handOff = confirmation.optionalText("hand_off"),
            let typedCodeKey = confirmation.optionalText("typed_code")
        else { return nil }
        let read = challenge.flatMap { CodeChallenge($0) }
        guard (challenge == nil) == (read == nil) else { return nil }
        return LoginTokenBinding(challenge: read, network: network, handOff: handOff, typedCodeKey: typedCodeKey)
    }

    /// - Returns: `nil` for a network or an address that cannot be read, and for both at once, of which only one would
    ///   be looked at.
    private static func network(_ prefix: String?, orExact address: String?) -> LoginTokenBinding.Network? {
        switch (prefix, address) {
        case (nil, nil): LoginTokenBinding.Network.none
        case (let prefix?, nil): NetworkPrefix(prefix).map(LoginTokenBinding.Network.network)
        case (nil, let address?): NetworkAddress(address).map(LoginTokenBinding.Network.exact)
        case (.some, .some): nil
        }
    }
}

/// Reads claims of one kind each. The outer optional says whether the claim could be read, the inner whether it is there.
private struct ClaimReader {
    let members: [String: JSONValue]

    func text(_ name: String) -> String? { members[name]?.string }

    func instant(_ name: String) -> Timestamp? { members[name]?.integer.flatMap(Self.instant) }

    /// `nil` where no instant stands for the number: all such would be read as the end of time, and two of them as one.
    private static func instant(_ seconds: Int64) -> Timestamp? {
        let instant = Timestamp(seconds: seconds)
        return instant.seconds == seconds ? instant : nil
    }

    func optionalText(_ name: String) -> String?? {
        guard let value = members[name] else { return .some(nil) }
        return value.string.map(Optional.some)
    }

    func optionalInstant(_ name: String) -> Timestamp?? {
        guard let value = members[name] else { return .some(nil) }
        return value.integer.flatMap(Self.instant).map(Optional.some)
    }

    func texts(_ name: String) -> [String]? {
        guard let value = members[name] else { return [] }
        return value.strings
    }
}
