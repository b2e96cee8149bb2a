import OAuth2

extension DeviceSecrets {
    /// Revokes the device of a secret, and everything it spawned (contract §7).
    /// - Returns: whether there was a live one; the caller tells nobody (RFC 7009 §2.2).
    @discardableResult
    package func revoke(_ secret: OpaqueSecret, reason: String, origin: RequestOrigin, at now: Timestamp) async throws
        -> Bool
    {
        guard let known = try await store.deviceSecret(digest: secret.digest) else { return false }
        return try await revoke(known.device.id, reason: reason, by: nil, origin: origin, at: now) == .done
    }

    package enum Revocation: Hashable, Sendable { case done, doneBefore, unknown }

    /// Revokes a device by its id.
    /// - Parameter administrator: who does it, for the audit log.
    package func revoke(
        _ id: DeviceSecretID, reason: String, by administrator: AdminActor?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Revocation {
        var detail = JSONObjectWriter()
        detail.add("device_secret_id", id.rawValue)
        if let administrator { detail.add("actor", administrator.description) }
        let ending = ending(
            reason, origin: origin, at: now, detail: String(decoding: detail.finish(), as: UTF8.self))
        switch try await store.revokeDeviceSecret(id, ending: ending) {
        case .revoked(let ended):
            await sessions.forget(ended)
            return .done
        case .alreadyRevoked: return .doneBefore
        case .unknown: return .unknown
        }
    }

    /// How a device ends for `reason`.
    package func ending(
        _ reason: String, origin: RequestOrigin, at now: Timestamp, detail: String? = nil
    ) -> DeviceSecretEnding {
        DeviceSecretEnding(
            at: now, reason: reason,
            event: AuditEvent(
                at: now, type: .deviceSecretRevoked, outcome: .success, reason: reason, origin: origin, detail: detail),
            sessionEvent: AuditEvent(
                at: now, type: .webSessionEnded, outcome: .success, reason: "device_secret_revoked", origin: origin))
    }

    /// What a secret is, for introspection (RFC 7662); `nil` unless it is good now.
    package func live(_ secret: OpaqueSecret, at now: Timestamp) async throws -> PresentedDeviceSecret? {
        guard let known = try await store.deviceSecret(digest: secret.digest), known.device.isAlive(at: now),
            !known.isReplay(at: now, overlap: try await configuration.current().overlap)
        else { return nil }
        return known
    }
}
