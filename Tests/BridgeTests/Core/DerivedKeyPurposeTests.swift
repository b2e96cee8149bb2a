import Crypto
import Foundation
import Testing

@testable import Bridge

@Suite struct DerivedKeyPurposeTests {
    private let secret = SymmetricKey(data: [UInt8](repeating: 1, count: 32))

    private func hex(_ key: SymmetricKey) -> String {
        key.withUnsafeBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    }

    // Made by the HMAC of Python's library: nodes of several versions have to open each other's seals.
    @Test(arguments: [
        (
            DerivedKeyPurpose.typedCode,
            "31caab43484772121f19a4febf6162189c7316cb5704d8132b1856962826c36e"
        ),
        (
            DerivedKeyPurpose.websiteLogout,
            "2a276b85598ccaade0172749041eac789254ebe7b21df19283d7364bb8f171af"
        ),
    ])
    func `a purpose's key is what RFC 5869 makes of its text`(purpose: DerivedKeyPurpose, key: String) {
        #expect(hex(purpose.key(derivedFrom: secret)) == key)
    }

    @Test func `the text of a purpose never changes`() {
        // A new purpose is added here; what is sealed by one whose text was another opens no more.
        #expect(
            DerivedKeyPurpose.allCases.map(\.rawValue).sorted() == [
                "authorization journey", "cross-device sign-in", "device approval", "dpop nonce", "form token",
                "held console form", "linking of a phone's key", "passkey enrolment", "passkey sign-in",
                "password set-up link", "pending sign-in", "proof of a phone's key", "pushed ID token hint",
                "pushed login token", "redemption retry", "second factor enrolment", "sign-in that waits for a phone",
                "typed code",
                "upstream provider's answer", "upstream sign-in", "website's authorization request",
                "website's logout",
            ])
    }

    @Test func `no two purposes have the same key`() {
        let keys = Set(DerivedKeyPurpose.allCases.map { hex($0.key(derivedFrom: secret)) })
        #expect(keys.count == DerivedKeyPurpose.allCases.count)
    }
}
