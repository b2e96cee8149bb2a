import Bridge

/// Turns a key file into the keys in force.
enum LoginTokenKeyMerge {
    /// The keys of a file as the ring wants them.
    ///
    /// - Parameter inUse: the keys that signed until now. One that the file no longer lets sign goes on verifying for
    ///   as long as a token that it signed a moment ago may live, so a late reload breaks nothing.
    static func merge(
        _ file: LoginTokenKeyFile, keeping inUse: [LoginTokenKey] = [], at now: Timestamp
    ) -> [LoginTokenKey] {
        let lastUse = now + LoginTokenSettings.maximumLifetime
        let known = Set(inUse.map(\.id))
        var keys = file.entries.map { entry in
            let retiresAt = entry.retiresAt.map { known.contains(entry.id) ? max($0, lastUse) : $0 }
            return LoginTokenKey(
                id: entry.id, secret: entry.secret, signsFrom: entry.signsFrom, retiresAt: retiresAt)
        }
        let present = Set(keys.map(\.id))
        for key in inUse where !present.contains(key.id) && key.retiresAt.map({ now < $0 }) ?? true {
            let retiresAt = min(key.retiresAt ?? lastUse, lastUse)
            keys.append(
                LoginTokenKey(id: key.id, secret: key.secret, signsFrom: key.signsFrom, retiresAt: retiresAt))
        }
        return keys
    }
}
