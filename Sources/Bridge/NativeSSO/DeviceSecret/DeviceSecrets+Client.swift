import OAuth2

extension DeviceSecrets {
    /// What `/oauth/revoke` does with a device secret: everything that it spawned ends (contract §5).
    package var revocation: TokenRevocation.Further {
        { token, client, origin, now in
            guard let secret = OpaqueSecret(token.expose(), kind: .deviceSecret) else { return false }
            guard let known = try await store.deviceSecret(digest: secret.digest) else { return true }
            // Its apps share it, so each of them may end it; another client may not even if it got hold of it.
            guard client.id == known.device.clientID || client.isNativeSSOEnabled else {
                throw OAuthError(
                    .invalidGrant, "the token was issued to another client", detail: "other_client")
            }
            _ = try await revoke(known.device.id, reason: "signed_out", by: nil, origin: origin, at: now)
            return true
        }
    }

    /// What `/oauth/introspect` says of a device secret.
    package func introspection(issuer: String) -> TokenIntrospection.Further {
        { token, _, now in
            guard let secret = OpaqueSecret(token.expose(), kind: .deviceSecret),
                let known = try await live(secret, at: now)
            else { return nil }
            let device = known.device
            var facts = IntrospectedToken(
                type: "device_secret", clientID: device.clientID, issuer: issuer, subject: device.subject,
                sessionID: device.sessionID, issuedAt: device.createdAt, expiresAt: device.expiresAt,
                proofKeyThumbprint: device.keyThumbprint)
            facts.members.add("device_secret_id", device.id.rawValue)
            facts.members.add("device_name", device.name)
            return facts
        }
    }
}
