import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §16.2: what sign-ins are good for that others are not.
@Suite struct WebSessionTests {
    private func session(_ opening: SessionOpening, _ amr: [String]) -> WebSession {
        WebSession(
            id: "s", secretDigest: "digest", subject: "alice", clientID: website, appClientID: nil, parentID: nil,
            loginTokenID: nil, opening: opening,
            authentication: Authentication(time: noon, acr: "aal1", amr: amr), createdAt: noon,
            expiresAt: noon + .seconds(3600), idleLifetime: .seconds(3600), lastSeenAt: noon)
    }

    @Test(
        arguments: [
            (.authorize, ["pwd"], 900, true), (.authorize, ["pwd"], 901, false),
            (.authorize, ["self_issued", "pop"], 0, false), (.loginToken, ["pwd"], 0, false),
        ] as [(SessionOpening, [String], Int, Bool)])
    func `ways to sign in are changed in a recent sign-in here, and not by a phone's key`(
        opening: SessionOpening, amr: [String], age: Int, isGoodEnough: Bool
    ) {
        let found = session(opening, amr).isFreshSignInWithoutPhone(at: noon + .seconds(age))
        #expect(found == isGoodEnough)
    }
}
