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
            var members: [String: JSONValue] = [
                "token_type": .string("device_secret"), "iss": .string(issuer),
                "sub": .string(device.subject.rawValue), "client_id": .string(device.clientID.rawValue),
                "sid": .string(device.sessionID.rawValue), "device_secret_id": .string(device.id.rawValue),
                "iat": .number(String(device.createdAt.seconds)), "exp": .number(String(device.expiresAt.seconds)),
            ]
            members["device_name"] = device.name.map(JSONValue.string)
            members["cnf"] = device.keyThumbprint.map { .object(["jkt": .string($0)]) }
            return members
        }
    }
}
