import OAuth2

/// A request's id: the time in 48 bits, then 72 random bits; 20 characters.
///
/// The time stands first so that the audit events of a request are found without an index of request ids, which every
/// event would have to be written to.
package enum RequestID {
    package static func make(at now: Timestamp, random: RandomSource) -> String {
        random.text(9, behind: now)
    }

    /// When the request with this id began; `nil` for an id of another's making.
    package static func time(of id: String) -> Timestamp? {
        guard id.utf8.count == 20, let bytes = Base64URL.decode(id), bytes.count == 15 else { return nil }
        return Timestamp(leading: bytes)
    }
}
