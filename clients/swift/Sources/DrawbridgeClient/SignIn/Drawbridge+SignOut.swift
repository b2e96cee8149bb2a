/// How far a sign-out goes.
public enum SignOutExtent: Sendable, Equatable {
    /// The device secret ends, and with it every app and web session that came from it. What "sign out" means to people.
    /// A secret of another person, who signed in on this device by another app, stays.
    case device
    /// This app alone; what it opened on the web ends as well. For the app that brought the shared sign-in it is the
    /// same as ``device``: the others depend on it.
    case thisApp
}

// The end of a sign-in (contract §7, RFC 7009).
extension Drawbridge {
    /// Signs out. The secrets leave this device in every case, also when the provider cannot be told.
    /// - Throws: ``ClientError/signedOutHereOnly(_:)`` when it could not be told; ``ClientError/secretStore(_:)`` when
    ///   the store did not let go of all of it, or had no lock to keep another process from putting it back.
    public func signOut(_ extent: SignOutExtent = .device) async throws(ClientError) {
        // Not beside a renewal: that one would put fresh tokens where these have just been taken out.
        try await changingSignIn { own, unlocked in
            do throws(ClientError) {
                try await own.end(extent, unlocked: unlocked)
                return nil
            } catch {
                return error
            }
        }
    }

    private func end(_ extent: SignOutExtent, unlocked: ClientError?) async throws(ClientError) {
        // What cannot be read cannot be ended at the provider, and leaves the device all the same.
        var own: StoredSignIn?
        var unread: ClientError?
        do throws(ClientError) { own = try await stored() } catch { unread = error }
        var shared: SharedSignIn?
        var unreadShared: ClientError?
        if let group = configuration.sharing {
            let (held, _) = await store.lockIfPossible(group.deviceSecret)
            do throws(ClientError) { shared = try await sharedParts(of: group) } catch { unreadShared = error }
            await held.release()
        }
        var ending: [(token: Redacted<String>, kind: String)] = []
        for token in (own?.refreshTokens ?? []).reversed() { ending.append((token, "refresh_token")) }
        let isOurs = own.map { shared?.isOf($0.subject) ?? false } ?? true
        let reachesShared = extent == .device || shared?.isFrom(configuration.clientID) ?? false
        let endsShared = shared == nil ? unreadShared != nil && extent == .device : isOurs && reachesShared
        if let shared, endsShared { ending.append((shared.deviceSecret, "device_secret")) }
        guard own != nil || unread != nil || endsShared else { throw .notSignedIn }
        let untold = await revoke(ending, proves: own?.isBound ?? false)
        let problem = unread ?? unreadShared ?? untold
        // All of it, also when the store refuses a part; what stays on the device is told before anything else.
        var stays = unlocked
        do throws(ClientError) { try await forgetSignIn() } catch { stays = stays ?? error }
        if let group = configuration.sharing, endsShared {
            let (held, problem) = await store.lockIfPossible(group.deviceSecret)
            let first = await removed(group.deviceSecret)
            let second = await removed(group.idToken)
            await held.release()
            stays = stays ?? problem ?? first ?? second
        }
        if let webViewHost {
            do throws(ClientError) { try await clearWebView(webViewHost) } catch { stays = stays ?? error }
        }
        if let stays { throw stays }
        if let problem { throw .signedOutHereOnly("\(problem)") }
    }

    private func removed(_ item: SecretItem) async -> ClientError? {
        do throws(ClientError) {
            try await store.remove(item)
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: the first problem; a token that is dead already is none (RFC 7009 §2.2).
    private func revoke(
        _ tokens: [(token: Redacted<String>, kind: String)], proves: Bool
    ) async -> ClientError? {
        var problem: ClientError?
        var isSilent = false
        for (token, kind) in tokens {
            // Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second
            // attempt.
            if isSilent && kind == "refresh_token" { continue }
            do throws(ClientError) {
                guard let address = try await provider.metadata().revocationEndpoint else {
                    throw .provider(.endpoint("revocation_endpoint"))
                }
                let answer = try await send(
                    .form(
                        [
                            ("token", token.expose()), ("token_type_hint", kind),
                            ("client_id", configuration.clientID),
                        ], to: address), proves: proves)
                guard answer.status == 200 else { throw failure(answer, of: "revocation") }
            } catch {
                problem = problem ?? error
                if case .unreachable = error { isSilent = true }
            }
        }
        return problem
    }
}

// Ends that the app did not ask for: when the provider cannot be told, there is nothing to be done about it.
extension Drawbridge {
    /// Ends a sign-in that could not be kept, of which the app would not know.
    /// - Parameter before: what was shared until then, and is so again.
    func abandon(_ tokens: TokenAnswer, for before: SharedSignIn? = nil) async {
        if let secret = tokens.deviceSecret { try? await forgetShared(secret, for: before) }
        await drop(tokens)
        // Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        guard let secret = tokens.deviceSecret, before == nil else { return }
        await revokeIfPossible([secret], as: "device_secret", proves: tokens.isBound)
    }

    /// Ends tokens that no sign-in keeps.
    func drop(_ tokens: TokenAnswer) async {
        if let token = tokens.refreshToken {
            await revokeIfPossible([token], proves: tokens.isBound)
        } else {
            await revokeIfPossible([tokens.accessToken], as: "access_token", proves: tokens.isBound)
        }
    }

    func revokeIfPossible(_ tokens: [Redacted<String>], as kind: String = "refresh_token", proves: Bool) async {
        // In a task of its own: that of the caller may be cancelled, and would send nothing.
        await Task {
            for token in tokens { _ = await revoke([(token, kind)], proves: proves) }
        }.value
    }
}
