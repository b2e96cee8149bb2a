import Bridge
import OAuth2

/// The keys for people: ids, times and what each is good for.
struct LoginTokenKeyListing {
    let text: String

    init(_ file: LoginTokenKeyFile, at now: Timestamp) {
        let signing = file.signing(at: now)?.id
        text = file.entries.sorted { $0.signsFrom < $1.signsFrom }.map { entry in
            let state =
                if entry.isRetired(at: now) {
                    "retired"
                } else if entry.id == signing {
                    "signs"
                } else if entry.signsFrom > now {
                    "waits"
                } else {
                    "verifies"
                }
            let end = entry.retiresAt.map { ", retires \($0.rfc3339)" } ?? ""
            return
                "\(entry.id)  \(state)  created \(entry.createdAt.rfc3339), signs from \(entry.signsFrom.rfc3339)\(end)"
        }.joined(separator: "\n")
    }
}

/// What the audit log keeps of a rotation: ids and times, no secret.
enum KeyEvent {
    static func detail(_ added: LoginTokenKeyFile.Entry, _ dropped: [String]) -> String {
        let ids = dropped.map(JSONText.quoted).joined(separator: ",")
        let from = JSONText.quoted(added.signsFrom.rfc3339)
        return "{\"dropped\":[\(ids)],\"kid\":\(JSONText.quoted(added.id)),\"signs_from\":\(from)}"
    }
}
