/// Random numbers from a seed, so that a test that draws by chance fails the same way twice: SplitMix64 (Steele, Lea,
/// Flood: Fast Splittable Pseudorandom Number Generators).
///
/// It pretends to be the system's generator, whose numbers are spread as evenly. It keeps no secret: one of its numbers
/// tells all that follow.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
