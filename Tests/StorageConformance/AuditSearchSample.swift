import Bridge

/// Two events that differ in every field, and what tells them apart.
enum AuditSearchSample {
    static let wanted: AuditEvent = {
        var event = AuditEvent(
            at: Sample.now, type: .loginTokenRefused, outcome: .failure, reason: "Expired", subject: "Zoë",
            clientID: "Phone-App", targetClientID: "Big-Site", sessionID: "s1", tokenID: "t1")
        event.address = "2001:DB8::1"
        event.userAgent = "Mozilla ÄÖ ΟΔΟΣ"
        event.requestID = "r1"
        event.detail = #"{"actor":"account:Root"}"#
        return event
    }()

    static let other: AuditEvent = {
        var event = AuditEvent(
            at: Sample.now, type: .nodeStarted, outcome: .success, reason: "b", subject: "bob", clientID: "c",
            targetClientID: "d", sessionID: "s2", tokenID: "t2")
        event.address = "192.0.2.1"
        event.userAgent = "curl"
        event.requestID = "r2"
        return event
    }()

    static let filters: [(name: String, filter: AuditFilter)] = [
        ("type", filter { $0.type = .loginTokenRefused }),
        ("outcome", filter { $0.outcome = .failure }),
        ("reason", filter { $0.reason = "Expired" }),
        ("subject", filter { $0.subject = "Zoë" }),
        ("app", filter { $0.clientID = "Phone-App" }),
        ("website", filter { $0.clientID = "Big-Site" }),
        ("session", filter { $0.sessionID = "s1" }),
        ("token", filter { $0.tokenID = "t1" }),
        ("address", filter { $0.address = "2001:DB8::1" }),
        ("request", filter { $0.requestID = "r1" }),
        (
            "several at once",
            filter {
                $0.subject = "Zoë"
                $0.clientID = "Big-Site"
                $0.from = Sample.now
            }
        ),
    ]

    /// Parts of the wanted event's texts in another case.
    static let texts = [
        "ZOË", "zoë", "phone-app", "BIG-SITE", "TOKEN.REF", "xpireD", "2001:db8", "mozilla äö", "account:root", "ΟΔΟΣ",
        "οδος", "Οδοσ",
    ]

    private static func filter(_ set: (inout AuditFilter) -> Void) -> AuditFilter {
        var filter = AuditFilter()
        set(&filter)
        return filter
    }
}
