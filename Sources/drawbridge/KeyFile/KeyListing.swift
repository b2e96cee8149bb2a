import Bridge

/// Keys for people: id, purpose, algorithm, what each does now, and its times; never a secret.
struct KeyListing {
    let text: String

    init(_ keys: [KeyOverview]) {
        text = keys.map { key in
            let end = key.retiresAt.map { ", retires \($0.rfc3339)" } ?? ""
            let purpose = key.use == "login_token" ? "login tokens" : "access and ID tokens"
            return
                "\(key.id)  \(purpose)  \(key.algorithm)  \(key.state.rawValue)  signs from \(key.signsFrom.rfc3339)\(end)"
        }.joined(separator: "\n")
    }
}
