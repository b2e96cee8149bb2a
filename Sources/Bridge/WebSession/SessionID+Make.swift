extension SessionID {
    /// A new id: the time, then 128 random bits; 30 characters. It says nothing that the session's own facts do not.
    package static func make(at now: Timestamp, random: RandomSource) -> SessionID {
        SessionID(rawValue: random.text(16, behind: now))
    }
}

extension TokenID {
    /// A new login token's id, 22 characters: the time, which the token says too, then 80 random bits. Nothing hangs on
    /// nobody guessing it; it must only be no other token's.
    static func make(at now: Timestamp, random: RandomSource) -> TokenID {
        TokenID(rawValue: random.text(10, behind: now))
    }
}
