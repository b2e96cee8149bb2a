import OAuth2

/// Whether a browser shows what the token is bound to (`cnf`, contract §3).
enum BindingCheck {
    /// - Returns: `nil` when it does.
    static func failure(
        of binding: LoginTokenBinding, verifier: String?, address: NetworkAddress?
    ) -> RedemptionRefusal? {
        if let challenge = binding.challenge {
            guard let verifier = verifier.flatMap({ CodeVerifier($0) }), challenge.isAnswered(by: verifier) else {
                return .wrongVerifier
            }
        }
        return isSameNetwork(binding.network, address) ? nil : .wrongNetwork
    }

    /// A phone may reach the API by IPv6 and the website by IPv4, so networks are compared only inside one family. An
    /// exact address must match as it is, or a thief would only have to come by the other family.
    private static func isSameNetwork(_ bound: LoginTokenBinding.Network, _ address: NetworkAddress?) -> Bool {
        switch bound {
        case .none: return true
        case .network(let prefix):
            guard let address else { return false }
            return prefix.family != address.family || prefix.contains(address)
        case .exact(let expected): return expected == address
        }
    }
}
