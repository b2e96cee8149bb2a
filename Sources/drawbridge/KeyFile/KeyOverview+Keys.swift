import Bridge
import OAuth2

/// What each key does at a moment, for the command line and for administrators of a running server.
extension KeyOverview {
    /// The keys of login tokens, in the order in which they sign.
    static func all(in file: LoginTokenKeyFile, at now: Timestamp) -> [KeyOverview] {
        let signing = file.signing(at: now)?.id
        return file.entries.sorted { $0.signsFrom < $1.signsFrom }.map { entry in
            KeyOverview(
                id: entry.id, use: "login_token", algorithm: "HS256",
                state: state(
                    isRetired: entry.isRetired(at: now), signsFrom: entry.signsFrom, isSigning: entry.id == signing,
                    at: now),
                signsFrom: entry.signsFrom, retiresAt: entry.retiresAt)
        }
    }

    /// The keys of access tokens, ID tokens and logout tokens: one an algorithm signs.
    static func all(in keys: [SealedSigningKey], at now: Timestamp) -> [KeyOverview] {
        keys.map { key in
            let youngest = keys.filter { $0.algorithm == key.algorithm && $0.signsFrom <= now }
                .max { $0.signsFrom < $1.signsFrom }
            return KeyOverview(
                id: key.id, use: "tokens", algorithm: key.algorithm.rawValue,
                state: state(
                    isRetired: key.retiresAt.map { $0 <= now } ?? false, signsFrom: key.signsFrom,
                    isSigning: key.id == youngest?.id, at: now),
                signsFrom: key.signsFrom, retiresAt: key.retiresAt)
        }
    }

    private static func state(isRetired: Bool, signsFrom: Timestamp, isSigning: Bool, at now: Timestamp) -> State {
        if isRetired { return .retired }
        if signsFrom > now { return .waiting }
        return isSigning ? .signing : .verifying
    }
}
