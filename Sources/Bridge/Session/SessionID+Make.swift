import OAuth2

extension SessionID {
    /// A new id: the time in 48 bits, then 128 random bits; 30 characters.
    ///
    /// The time stands first so that a store's index of ids grows at one end, instead of having a page somewhere
    /// else written for every session. It says nothing that the session's own facts do not.
    package static func make(at now: Timestamp, random: RandomSource) -> SessionID {
        let time = UInt64(bitPattern: now.milliseconds)
        let leading = (0..<6).map { UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * $0)) }
        return SessionID(rawValue: Base64URL.encode(leading + random.bytes(16)))
    }
}
