import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// What an app loses, the apps that it signed in lose too (contract §5.2, §5.4, §16.4).
@Suite struct AppsAboveTests {
    private static let whole = Scope(tokens: NativeProvider.scope)
    private static let cut = Scope(tokens: [Scope.openID, Scope.offlineAccess, Scope.deviceSSO])

    /// How an operator withdraws the first app, or its partnership with the second.
    enum Withdrawal: CaseIterable {
        case removed, withoutNativeSSO, unshared

        func take(from native: NativeProvider) {
            let clients = native.service.clients
            switch self {
            case .removed:
                let others = clients.current.all.filter { $0.id != NativeProvider.photos }
                clients.replace(with: ClientDirectory(others, defaultTarget: clients.current.defaultTarget))
            case .withoutNativeSSO: native.service.change(NativeProvider.photos) { $0.isNativeSSOEnabled = false }
            case .unshared: native.service.change(NativeProvider.photos) { $0.shareWith.remove(NativeProvider.music) }
            }
        }
    }

    private func limit(_ native: NativeProvider) {
        native.service.change(NativeProvider.photos) { $0.scope = Scope(tokens: [Scope.openID, Scope.offlineAccess]) }
    }

    @Test func `contract §5.2: a refresh gives no scope that an app above has lost, and again what it is given back`()
        async throws
    {
        try await withNativeProvider { native in
            let second = try await native.exchange(try await native.signIn())
            #expect(second.scope == Self.whole)
            limit(native)
            let less = try await native.refresh(second, NativeProvider.music)
            #expect(less.scope == Self.cut)
            native.service.change(NativeProvider.photos) { $0.scope = Self.whole }
            #expect(try await native.refresh(less, NativeProvider.music).scope == Self.whole)
        }
    }

    @Test(arguments: Withdrawal.allCases)
    func `contract §5.2: by an app that is gone, or shares no longer, a refresh is refused and uses nothing up`(
        withdrawal: Withdrawal
    ) async throws {
        try await withNativeProvider { native in
            let second = try await native.exchange(try await native.signIn())
            let before = native.service.clients.current
            withdrawal.take(from: native)
            let refused = try await refusal { try await native.refresh(second, NativeProvider.music) }
            #expect(refused == "invalid_grant shared_no_longer")
            native.service.clients.replace(with: before)
            #expect(try await native.refresh(second, NativeProvider.music).scope == Self.whole)
        }
    }

    @Test(arguments: Withdrawal.allCases)
    func `attack: an app that was signed in by one that is gone, or shares no longer, opens nothing by its sign-in`(
        withdrawal: Withdrawal
    ) async throws {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.music) { $0.shareWith = ["guest"] }
            native.service.change("guest") { $0.isFirstParty = true }
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            withdrawal.take(from: native)
            for client in [NativeProvider.music, "guest"] {
                let refused = try await refusal {
                    try await native.exchange(second, to: client, secret: first.deviceSecret)
                }
                #expect(refused == "access_denied client_not_shared", "\(client)")
            }
        }
    }

    @Test func `contract §5.4: an exchange gives no scope that an app above has lost`() async throws {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.music) { $0.shareWith = [NativeProvider.shop] }
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            limit(native)
            let again = try await native.exchange(second, secret: first.deviceSecret)
            #expect(again.scope == Self.cut)
            let view = try await native.exchange(
                second, to: NativeProvider.shop, secret: first.deviceSecret, by: TokenTypeURI.accessToken)
            let session = try #require(try await native.storage.session(id: try native.session(of: view)))
            #expect(session.lineage.scope == Self.cut)
        }
    }

    @Test func `apps above share by way of each other, in whatever order they are named`() {
        let first = NativeSSOFixture.app("a", shares: ["b"])
        let second = NativeSSOFixture.app("b", shares: ["c"])
        let third = NativeSSOFixture.app("c")
        #expect(third.isStillSignedIn(by: []))
        #expect(third.isStillSignedIn(by: [first, second]))
        #expect(third.isStillSignedIn(by: [second, first]))
        #expect(third.isStillSignedIn(by: [third, second]), "it was exchanged for itself")
        #expect(!third.isStillSignedIn(by: [NativeSSOFixture.app("a"), second]))
        #expect(!third.isStillSignedIn(by: [first, NativeSSOFixture.app("b")]))
        #expect(!third.isStillSignedIn(by: [first, nil]))
    }
}
