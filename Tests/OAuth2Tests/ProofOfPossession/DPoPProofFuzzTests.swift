import Testing
import TestSupport

@testable import OAuth2

@Suite struct DPoPProofFuzzTests {
    /// Whatever byte of a proof is changed, it is refused: nothing in it is without a check or outside the signature.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a proof of which anything was changed is refused`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let good = Array(try ProofMaker().proof().utf8)
        for _ in 0..<600 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let place = Int.random(in: bytes.indices, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &dice)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &dice), at: place)
                }
            }
            guard bytes != good else { continue }
            #expect(ProofMaker.flaw(String(decoding: bytes, as: UTF8.self)) != nil, "seed \(seed)")
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `random JSON under a right signature is never a proof, and never a trap`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let maker = try ProofMaker()
        let words = [
            "typ", "dpop+jwt", "alg", "ES256", "jwk", "kty", "EC", "crv", "P-256", "x", "y", "htu", "htm", "iat", "jti",
        ]
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &dice) {
            case 0: return "\"\(words.randomElement(using: &dice) ?? "")\""
            case 1: return "\(Int.random(in: -9...9, using: &dice))e\(Int.random(in: -400...400, using: &dice))"
            case 2: return "null"
            case 3: return "true"
            case 4:
                return "["
                    + (0..<Int.random(in: 0...3, using: &dice)).map { _ in value(depth + 1) }.joined(separator: ",")
                    + "]"
            default:
                let members = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
                    "\"\(words.randomElement(using: &dice) ?? "")\":\(value(depth + 1))"
                }
                return "{" + members.joined(separator: ",") + "}"
            }
        }
        let header = JSONValue.object(maker.header).text
        for _ in 0..<300 {
            #expect(ProofMaker.flaw(try maker.sign(value(0), value(0))) != nil)
            // The header is right: only the claims are rubbish.
            #expect(ProofMaker.flaw(try maker.sign(header, value(0))) != nil)
        }
    }

    @Test(arguments: [6, 7] as [UInt64])
    func `no text makes the address reader fail, and what it gives it takes again`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let pieces = [
            "https", "://", "id.example", ":", "443", "/", "?", "#", "%", "2F", "[", "::1", "]", "@", "..", "a",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...9, using: &dice)).map { _ in pieces.randomElement(using: &dice) ?? "" }
            guard let target = HTTPTarget(text.joined()) else { continue }
            #expect(HTTPTarget(target.description) == target)
        }
    }
}
