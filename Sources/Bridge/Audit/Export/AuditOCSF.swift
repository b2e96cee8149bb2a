import OAuth2

/// Events in the Open Cybersecurity Schema Framework, class Authentication (3002), for other people's analysis tools.
///
/// What the class has no place for is in `unmapped`, under the names of contract §8.
package enum AuditOCSF {
    private static let classID: Int64 = 3002

    /// What happened, in the class's own numbers.
    private enum Activity: Int64 {
        case logon = 1
        case logoff = 2
        case authenticationTicket = 3
        case other = 99
    }

    static func append(_ record: AuditRecord, to output: inout [UInt8]) {
        output.append(contentsOf: object(record))
    }

    /// A record's object, on one line.
    package static func object(_ record: AuditRecord) -> [UInt8] {
        let event = record.event
        let activity = activity(of: event.type)
        var object = JSONObjectWriter()
        object.add("class_uid", classID)
        object.add("class_name", "Authentication")
        object.add("category_uid", 3)
        object.add("category_name", "Identity & Access Management")
        object.add("activity_id", activity.rawValue)
        if activity == .other { object.add("activity_name", event.type.rawValue) }
        object.add("type_uid", classID * 100 + activity.rawValue)
        object.add("time", event.at.milliseconds)
        object.add("severity_id", severity(of: event))
        object.add("status_id", event.outcome == .success ? 1 : 2)
        object.add("status", event.outcome == .success ? "Success" : "Failure")
        object.add("status_detail", event.reason)
        object.add("message", event.type.rawValue)
        object.add("is_remote", true)
        var metadata = metadata(uid: record.id, code: event.type.rawValue)
        metadata.add("sequence", record.sequence)
        metadata.add("correlation_uid", event.requestID)
        object.add("metadata", json: metadata)
        object.add("user", json: user(event))
        object.add("service", json: service(event))
        if let address = event.address { object.add("src_endpoint", json: text("ip", address)) }
        if let session = event.sessionID?.rawValue { object.add("session", json: text("uid", session)) }
        if let agent = event.userAgent {
            var request = JSONObjectWriter()
            request.add("user_agent", agent)
            request.add("uid", event.requestID)
            object.add("http_request", json: request)
        }
        object.add("unmapped", json: unmapped(record))
        return object.finish()
    }

    /// Something that cannot be read, on one line: in the Base Event class (0), since no other fits.
    package static func object(_ damage: AuditDamage) -> [UInt8] {
        var object = JSONObjectWriter()
        object.add("class_uid", 0)
        object.add("class_name", "Base Event")
        object.add("category_uid", 0)
        object.add("category_name", "Uncategorized")
        object.add("activity_id", Activity.other.rawValue)
        object.add("activity_name", "damaged")
        object.add("type_uid", Activity.other.rawValue)
        object.add("time", (damage.at ?? Timestamp(milliseconds: 0)).milliseconds)
        object.add("severity_id", 4)
        object.add("status_id", 2)
        object.add("status", "Failure")
        object.add("message", damage.sentence)
        object.add("metadata", json: metadata(uid: damage.id, code: "damaged"))
        object.add("unmapped", json: String(decoding: damage.json, as: UTF8.self))
        return object.finish()
    }

    private static func activity(of type: AuditEventType) -> Activity {
        switch type {
        case .webSessionOpened, .adminSignedIn, .loginTokenRedeemed, .loginTokenReplayed, .userSignedIn,
            .userSignInFailed:
            .logon
        case .webSessionEnded, .webSessionSwitched, .adminSignedOut: .logoff
        case .loginTokenIssued, .authorizationCodeIssued, .refreshTokenRotated: .authenticationTicket
        default: .other
        }
    }

    private static func severity(of event: AuditEvent) -> Int64 {
        if AuditEventType.tokenReuses.contains(event.type) { return 4 }
        return event.outcome == .success ? 1 : 3
    }

    private static func metadata(uid: String, code: String) -> JSONObjectWriter {
        var metadata = JSONObjectWriter()
        metadata.add("version", "1.3.0")
        metadata.add("product", json: #"{"name":"Drawbridge","vendor_name":"Drawbridge"}"#)
        metadata.add("uid", uid)
        metadata.add("log_name", "audit")
        metadata.add("event_code", code)
        return metadata
    }

    // The class wants a user in every event; the type says when there is none.
    private static func user(_ event: AuditEvent) -> JSONObjectWriter {
        var user = JSONObjectWriter()
        if let subject = event.subject?.rawValue {
            user.add("uid", subject)
            user.add("type_id", 1)
        } else {
            user.add("name", "unknown")
            user.add("type_id", 0)
        }
        return user
    }

    private static func service(_ event: AuditEvent) -> JSONObjectWriter {
        text("name", event.targetClientID?.rawValue ?? event.clientID?.rawValue ?? "drawbridge")
    }

    private static func unmapped(_ record: AuditRecord) -> JSONObjectWriter {
        let facts: [(String, String?)] = [
            ("client_id", record.event.clientID?.rawValue), ("detail", record.event.detail), ("hash", record.hash),
            ("node", record.node), ("previous_hash", record.previousHash),
            ("target_client_id", record.event.targetClientID?.rawValue), ("token_id", record.event.tokenID?.rawValue),
        ]
        var object = JSONObjectWriter()
        for (name, value) in facts { object.add(name, value) }
        return object
    }

    private static func text(_ name: String, _ value: String) -> JSONObjectWriter {
        var object = JSONObjectWriter()
        object.add(name, value)
        return object
    }
}
