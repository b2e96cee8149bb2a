import Bridge
import OAuth2

/// Everything that an administrator may ask about, by the API and in the console.
///
/// A part that an instance lacks is `nil`, and asking about it is answered with `not_found`.
final class Explanations: Sendable {
    let rules: Explainer
    private let bearers: BearerGate
    private let issuer: LoginTokenIssuer
    private let exchanges: TokenExchangeGrant?
    private let phoneKeys: SelfIssuedExplainer?
    private let devices: DeviceApprovals?
    private let phones: PhoneApprovals?
    private let time: TimeSource

    /// - Parameters:
    ///   - selfIssued: `nil` where no phones' answers are taken.
    ///   - phones: `nil` where there are no sign-ins across devices.
    ///   - provider: `nil` where there is no token endpoint.
    ///   - device: `nil` where there are no device secrets.
    init(
        services: AdminServices, bearers: BearerGate, issuer: LoginTokenIssuer, selfIssued: SelfIssuedConfiguration?,
        phones: PhoneApprovals?, provider: ProviderServices?, device: DeviceServices?
    ) {
        rules = services.explainer
        self.bearers = bearers
        self.issuer = issuer
        time = services.gate.time
        exchanges = device?.exchange
        phoneKeys = selfIssued.map {
            SelfIssuedExplainer(configuration: $0, storage: services.storage, time: services.gate.time)
        }
        devices = provider?.devices.approvals
        self.phones = phones
    }

    var knowsExchanges: Bool { exchanges != nil }
    var knowsPhoneKeys: Bool { phoneKeys != nil }
    var knowsDeviceCodes: Bool { devices != nil }
    var knowsCrossDevice: Bool { phones != nil }

    /// The address of the browser that would redeem a login token; `nil` where none is given.
    static func address(_ text: String?) throws -> NetworkAddress? {
        guard let text, !text.isEmpty else { return nil }
        guard let address = NetworkAddress(text) else { throw OAuthError(.invalidRequest, "ip must be an IP address") }
        return address
    }

    func bearer(_ token: String, opening website: String?) async throws -> Explanation {
        try await bearers.explain(Secret(token), opening: website, by: issuer)
    }

    /// - Parameter request: the token request's parameters.
    func exchange(origin: RequestOrigin, _ request: () throws -> FormParameters) async throws -> Explanation {
        guard let exchanges else { throw OAuthError(.notFound, "there is no token endpoint here") }
        return try await exchanges.explain(try request(), origin: origin, at: time.now())
    }

    /// - Parameter answer: what a phone would post, and the nonce that it was sent, if that is to be judged.
    func selfIssued(_ answer: () throws -> (FormParameters, nonce: String?)) async throws -> Explanation {
        guard let phoneKeys else { throw OAuthError(.notFound, "no phone's answers are taken here") }
        let (answer, nonce) = try answer()
        return try await phoneKeys.explain(answer, nonce: nonce)
    }

    /// - Parameter code: the letters that a device without a browser shows.
    func deviceCode(_ code: () throws -> String) async throws -> Explanation {
        guard let devices else { throw OAuthError(.notFound, "there is no token endpoint here") }
        return try await devices.explain(userCode: try code(), at: time.now())
    }

    /// The app that is to approve, the page that it is to approve, or both.
    struct CrossDevice {
        let token: String?
        let shown: PhoneApprovals.Shown?

        init(token: String?, link: String?, letters: String?) throws {
            guard link == nil || letters == nil, token != nil || link != nil || letters != nil else {
                throw OAuthError(.invalidRequest, "token, and link or user_code, or one of them is needed")
            }
            self.token = token
            shown = link.map(PhoneApprovals.Shown.link) ?? letters.map(PhoneApprovals.Shown.letters)
        }
    }

    func crossDevice(_ asked: () throws -> CrossDevice) async throws -> Explanation {
        guard let phones else { throw OAuthError(.notFound, "no sign-ins across devices are taken here") }
        let asked = try asked()
        var explanation = Explanation(rule: "cross_device")
        var bearer: BearerIdentity?
        if let token = asked.token {
            bearer = try await bearers.named(by: Secret(token), in: &explanation)
            guard bearer != nil else { return explanation }
        }
        try await phones.explain(asked.shown, bearer: bearer, in: &explanation)
        return explanation
    }
}
