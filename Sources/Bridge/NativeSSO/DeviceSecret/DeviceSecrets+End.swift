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
        let ended = try await endings.end(
            .device(id), Ending(at: now, reason: reason, origin: origin, actor: administrator))
        if ended.devices.contains(id) { return .done }
        return try await store.deviceSecret(id: id) == nil ? .unknown : .doneBefore
    }

    /// What a secret is, for introspection (RFC 7662); `nil` unless it is good now.
    package func live(_ secret: OpaqueSecret, at now: Timestamp) async throws -> PresentedDeviceSecret? {
        guard let known = try await store.deviceSecret(digest: secret.digest), known.device.isAlive(at: now),
            !known.isReplay(at: now, overlap: try await configuration.current().overlap)
        else { return nil }
        return known
    }
}
