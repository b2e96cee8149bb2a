import Bridge
import OAuth2

/// What the audit log keeps of a rotation: ids and times, no secret.
enum KeyEvent {
    static func detail(_ added: LoginTokenKeyFile.Entry, _ dropped: [String]) -> String {
        let ids = dropped.map(JSONText.quoted).joined(separator: ",")
        let from = JSONText.quoted(added.signsFrom.rfc3339)
        return "{\"dropped\":[\(ids)],\"kid\":\(JSONText.quoted(added.id)),\"signs_from\":\(from)}"
    }
}
