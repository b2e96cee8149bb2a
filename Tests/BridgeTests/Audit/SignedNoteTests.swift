import Bridge
import Foundation
import Testing

/// The format of C2SP signed-note; the vector is the one in the documentation of golang.org/x/mod/sumdb/note.
@Suite struct SignedNoteTests {
    static let privateKey = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    static let publicKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    static let text = """
        If you think cryptography is the answer to your problem,
        then you don't know what your problem is.

        """
    static let signature =
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    static let note = "\(text)\n\u{2014} PeterNeumann \(signature)\n"

    @Test func `the reference note is read and written again as it was`() throws {
        let note = try #require(SignedNote(Self.note))
        #expect(note.text == Self.text)
        #expect(note.signatures.map(\.name) == ["PeterNeumann"])
        #expect(note.signatures.first?.keyID == [0xC7, 0x4F, 0x20, 0xA3])
        #expect(note.signatures.first?.bytes.count == 64)
        #expect(note.description == Self.note)
    }

    @Test func `the reference key signs the reference note`() throws {
        let key = try AuditSigningKey(text: Secret(Self.privateKey))
        #expect(key.verifierKey.description == Self.publicKey)
        #expect(key.text.expose() == Self.privateKey)
        let checkpoint = try key.sign(
            node: "n", size: 1, hash: AuditRecord.genesis, at: Timestamp(milliseconds: 0))
        let note = try #require(SignedNote(checkpoint.note))
        #expect(note.signatures.first?.keyID == [0xC7, 0x4F, 0x20, 0xA3])
        #expect(
            note.text
                == "PeterNeumann/n\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\ntime 1970-01-01T00:00:00.000Z\n")
    }

    @Test func `the reference verifier key is read and written again as it was`() {
        #expect(AuditVerifierKey(Self.publicKey)?.description == Self.publicKey)
    }

    @Test func `a text may have blank lines`() {
        let note = SignedNote("a\n\nb\n\n\u{2014} k AAAAAAA=\n")
        #expect(note?.text == "a\n\nb\n")
        #expect(note?.signatures.count == 1)
    }

    @Test(arguments: [
        "", "\n", "text", "text\n", "text\n\n", "text\n\n\n", "text\n\u{2014} k AAAAAAA=\n", "text\n\n- k AAAAAAA=\n",
        "text\n\n\u{2014} k AAAAAAA=", "text\n\n\u{2014} k AAAA\n", "text\n\n\u{2014} k AAAAAAA\n",
        "text\n\n\u{2014} k+k AAAAAAA=\n", "text\n\n\u{2014}  AAAAAAA=\n", "text\n\n\u{2014} k  AAAAAAA=\n",
        "te\txt\n\n\u{2014} k AAAAAAA=\n", "te\r\n\n\u{2014} k AAAAAAA=\n", "t\n\n\u{2014} k AAAAAAA=\nx\n",
        "t\n\n" + String(repeating: "\u{2014} k AAAAAAA=\n", count: 17),
        String(repeating: "x", count: 16_384) + "\n\n\u{2014} k AAAAAAA=\n",
    ])
    func `what is no note is refused`(text: String) {
        #expect(SignedNote(text) == nil)
    }

    @Test(arguments: [
        "", "PeterNeumann", "PeterNeumann+c74f20a3",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumanx+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ])
    func `what is no verifier key is refused`(text: String) {
        #expect(AuditVerifierKey(text) == nil)
    }

    @Test func `a file of keys may have comments, and nothing else`() {
        #expect(AuditVerifierKey.keys(in: "# ours\n\(Self.publicKey)\r\n\n")?.map(\.name) == ["PeterNeumann"])
        #expect(AuditVerifierKey.keys(in: "\(Self.publicKey)\nrubbish\n") == nil)
        #expect(AuditVerifierKey.keys(in: "# nothing\n") == nil)
    }

    @Test(arguments: ["", "a b", "a+b", "a\u{a0}b", "a\nb"])
    func `a key needs a proper name`(name: String) {
        #expect(throws: AuditSigningKey.Problem.invalidName) { try AuditFixture.key(name) }
    }

    @Test func `a hash that is none is not signed`() throws {
        let key = try AuditFixture.key()
        #expect(throws: AuditSigningKey.Problem.invalidHash) {
            try key.sign(node: "n", size: 1, hash: "AAAA", at: AuditFixture.start)
        }
    }
}

@Suite struct AuditSigningKeyTests {
    @Test func `two keys are different`() throws {
        #expect(
            try AuditSigningKey.generate(name: "n").verifierKey != AuditSigningKey.generate(name: "n").verifierKey)
    }

    @Test func `a key does not print itself`() throws {
        let key = try AuditSigningKey(text: Secret(SignedNoteTests.privateKey))
        let printed = "\(key) \(String(reflecting: key)) \(key.text)"
        #expect(!printed.contains("YEKFALVFGyNhPJEMzD1QIDr"))
    }
}
