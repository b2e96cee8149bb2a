import Bridge

extension AuditEvent {
    /// The event with the session's id, unless it names one.
    func naming(_ sessionID: SessionID) -> AuditEvent {
        guard self.sessionID == nil else { return self }
        var event = self
        event.sessionID = sessionID
        return event
    }
}
