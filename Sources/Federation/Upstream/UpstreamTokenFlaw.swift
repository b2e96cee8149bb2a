import Bridge

/// What an upstream provider's ID tokens and logout tokens may both have wrong.
enum UpstreamTokenFlaw {
    case wrongType, wrongAlgorithm, wrongIssuer, wrongAudience
    case expired, notYetValid
    case unknownKey, badSignature

    /// What it is called for a logout token.
    var logoutTokenRefusal: LogoutTokenRefusal {
        switch self {
        case .wrongType: .wrongType
        case .wrongAlgorithm: .wrongAlgorithm
        case .wrongIssuer: .wrongIssuer
        case .wrongAudience: .wrongAudience
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .unknownKey: .unknownKey
        case .badSignature: .badSignature
        }
    }
}
