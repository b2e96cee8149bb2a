import Testing

@testable import OAuth2

/// The header is looked at before the rest is: what is a JWS, and of which type, does not depend on that.
@Suite struct CompactJWSTests {
    /// What is read of a text.
    private struct Parts: Equatable {
        let header: [String: JSONValue]
        let payload: [UInt8]
        let signature: [UInt8]
        let message: [UInt8]

        init(_ jws: CompactJWS) {
            header = jws.header
            payload = jws.payload
            signature = jws.signature
            message = jws.message
        }

        /// Decodes every part before anything is asked of one.
        /// - Parameter type: `nil` for any.
        init?(plainly text: String, type: String?) {
            let bytes = Array(text.utf8)
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let decoded = parts.compactMap { Base64URL.decode(bytes: Array($0)) }
            guard bytes.count <= CompactJWS.maximumLength, parts.count == 3, decoded.count == 3,
                let header = JSONValue.parse(bytes: decoded[0])?.object, header["crit"] == nil
            else { return nil }
            if let type {
                guard let said = header["typ"]?.string?.lowercased(), [type, "application/" + type].contains(said)
                else { return nil }
            }
            self.header = header
            payload = decoded[1]
            signature = decoded[2]
            message = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        }
    }

    private static let accessHeader = encode(#"{"alg":"ES256","typ":"at+jwt"}"#)

    private static let headers: [String] = {
        let lists = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        let documents: [String] = [
            #"{"alg":"ES256","typ":"at+jwt"}"#, #"{"typ":"application/AT+JWT"}"#, #" {"typ" : "at+jwt"} "#,
            #"{"typ":"application/application/at+jwt"}"#, #"{"typ":"JWT"}"#, #"{"typ":["at+jwt"]}"#, #"{"typ":null}"#,
            #"{"alg":"ES256"}"#, "{}", #"{"typ":"at+jwt","crit":[]}"#, #"{"typ":"at+jwt","crit":null}"#,
            #"{"typ":"at+jwt","typ":"at+jwt"}"#, #"{"typ":"at+jwt"}{}"#, #"["at+jwt"]"#, #""at+jwt""#, "", " ",
            #"{"typ":"at+jwt","a":\#(lists)}"#,
        ]
        return documents.map(encode) + [accessHeader + "=", accessHeader + " ", "eyJ", "e31", "{}", "é"]
    }()

    private static func encode(_ document: String) -> String { Base64URL.encode(Array(document.utf8)) }

    private static let rests: [String] = [
        "", ".", "..", "...", ".e30", ".e30.", "..AA", ".e30.AA", ".e30.AA.", ".e30.AA.AA", ".e30..AA", "e30.AA",
        ".e30.AA=", ".e30=.AA", ".e30.AB", ".e31.AA", ".e30.A", ".e.AA", ".e30.AA\n", ". e30.AA", ".e30.+/", ".é.AA",
        ".e30.\u{301}AA", ".\u{301}e30.AA", ".AAAA.AAAA",
    ]

    @Test(arguments: headers)
    func `what is read is what is read of every part at once, of one type as of any`(_ header: String) {
        let types: [String?] = [nil, "at+jwt"]
        for rest in Self.rests {
            for type in types {
                let read = CompactJWS(header + rest, onlyType: type).map { Parts($0) }
                #expect(read == Parts(plainly: header + rest, type: type), "\(rest)")
            }
        }
    }

    @Test(arguments: headers)
    func `the type that a header states is that of the JWS, where the text is one`(_ header: String) {
        for rest in Self.rests {
            guard let jws = CompactJWS(header + rest) else { continue }
            #expect(CompactJWS.statedType(in: header + rest) == jws.type, "\(rest)")
        }
    }

    @Test func `the type that a header states says nothing of the rest`() {
        #expect(CompactJWS.statedType(in: Self.accessHeader + ".=") == "at+jwt")
        for text in ["", Self.accessHeader, Self.accessHeader + "=.e30.AA", "." + Self.accessHeader, "opaque"] {
            #expect(CompactJWS.statedType(in: text) == nil, "\(text)")
        }
    }

    /// A rightly written text of our type.
    private func text(ofLength length: Int) -> String {
        let rest = length - Self.accessHeader.utf8.count - 2
        // No bytes are written with 4n + 1 characters.
        let signature = (rest - 2) % 4 == 1 ? 3 : 2
        let parts = [rest - signature, signature].map { String(repeating: "A", count: $0) }
        return Self.accessHeader + "." + parts.joined(separator: ".")
    }

    @Test func `a text that is longer than is read has no type either`() {
        let limit = CompactJWS.maximumLength
        for (length, isRead) in [(limit - 1, true), (limit, true), (limit + 1, false), (limit + 2, false)] {
            let text = text(ofLength: length)
            #expect(text.utf8.count == length)
            #expect((CompactJWS(text, onlyType: "at+jwt") != nil) == isRead, "\(length)")
            #expect((CompactJWS(text) != nil) == isRead, "\(length)")
            #expect((CompactJWS.statedType(in: text) != nil) == isRead, "\(length)")
        }
        #expect(CompactJWS(text(ofLength: limit + 1), maximumLength: .max, onlyType: "at+jwt") != nil)
    }
}
