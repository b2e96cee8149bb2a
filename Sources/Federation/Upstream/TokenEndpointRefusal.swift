/// Whom a token endpoint refuses (RFC 6749 §5.2).
extension IssuerConnection.Failure {
    /// Us: it does not know the client that we say we are, or does not let it in.
    var refusesClient: Bool {
        guard case .status(let status, let error) = self, (400..<500).contains(status) else { return false }
        return switch error {
        case .invalidClient?, .unauthorizedClient?: true
        case .invalidGrant?: false
        default: status == 401
        }
    }

    /// The code that we show it. Some say that with 403, and some without a word that is known here.
    var refusesCode: Bool {
        guard case .status(let status, let error) = self, (400..<500).contains(status), !refusesClient else {
            return false
        }
        return error == .invalidGrant || status == 400 || status == 403
    }
}
