import Synchronization

/// Chooses the requests that are traced, without a lock that all of them would share.
///
/// Whether a request is traced is not a secret: SplitMix64 (after Steele, Lea, Flood: Fast Splittable Pseudorandom
/// Number Generators, 2014), of which each number takes one addition that threads do not wait for.
final class SampleDraw: Sendable {
    private let state: Atomic<UInt64>
    private let threshold: UInt64

    /// - Parameter share: from 0, none, to 1, all.
    init(share: Double, seed: UInt64) {
        // 2^53: every whole number up to there is a Double.
        threshold = UInt64(min(1, max(0, share)) * 9_007_199_254_740_992)
        state = Atomic(seed)
    }

    func isNextChosen() -> Bool {
        guard threshold > 0 else { return false }
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return (bits ^ (bits >> 31)) >> 11 < threshold
    }
}
