import OAuth2

extension DeviceSecrets: DeviceSecretAttaching {
    package func attach(
        to session: AppSession, client: Client, presented: Secret<String>?, proofKeyThumbprint: String?,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> AttachedDeviceSecret? {
        let occasion = Occasion(
            session: session, client: client, presented: presented?.expose(),
            proofKeyThumbprint: proofKeyThumbprint, origin: origin, at: now)
        // A session is opened in the same instant as its code is redeemed; later it is a refresh.
        if session.createdAt == now {
            // The specification wants the secret in this answer even when the app has it (draft-07 §3.3).
            return try await provideAtSignIn(occasion).map { provision in
                let secret = Secret(provision.secret.expose())
                return AttachedDeviceSecret(presented: secret, secret: secret)
            }
        }
        return try await provideAtRefresh(occasion).map { provision in
            let secret = Secret(provision.secret.expose())
            let isKept = occasion.presented == provision.secret.expose()
            return AttachedDeviceSecret(presented: secret, secret: isKept ? nil : secret)
        }
    }
}
