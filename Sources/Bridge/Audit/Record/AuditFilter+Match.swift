extension AuditFilter {
    /// Whether an event is one that a search for this would find; as the stores compare.
    package func matches(_ event: AuditEvent) -> Bool {
        func equal<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
        guard from.map({ $0 <= event.at }) ?? true, to.map({ event.at < $0 }) ?? true, equal(type, event.type),
            equal(outcome, event.outcome), equal(reason, event.reason), equal(subject, event.subject),
            equal(sessionID, event.sessionID), equal(tokenID, event.tokenID), equal(address, event.address),
            equal(requestID, event.requestID)
        else { return false }
        if let clientID, event.clientID != clientID, event.targetClientID != clientID { return false }
        if let network {
            guard let address = event.address.flatMap({ NetworkAddress($0) }), network.contains(address) else {
                return false
            }
        }
        guard let text = text?.lowercased() else { return true }
        return [
            event.type.rawValue, event.subject?.rawValue, event.clientID?.rawValue, event.targetClientID?.rawValue,
            event.reason, event.address, event.userAgent,
        ].contains { $0?.lowercased().contains(text) ?? false }
    }
}
