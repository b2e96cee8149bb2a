import Bridge
import HTTPTypes
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct HeaderValueTests {
    private let fields: HTTPFields = {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .accept, value: "text/html"))
        fields.append(HTTPField(name: .cookie, value: "a=1"))
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: .cookie, value: "b=2"))
        fields.append(HTTPField(name: .origin, value: ""))
        return fields
    }()

    @Test func `the values of a field stand in their order`() {
        #expect(fields.values(of: .accept) == ["text/html", "*/*"])
        #expect(fields.values(of: .origin) == [""])
        #expect(fields.values(of: .referer).isEmpty)
    }

    @Test func `several values are one list, and none is nothing, RFC 9110 section 5 point 3`() {
        #expect(fields.value(of: .accept) == "text/html, */*")
        #expect(fields.value(of: .cookie, separator: ";") == "a=1;b=2")
        #expect(fields.value(of: .origin)?.isEmpty == true)
        #expect(fields.value(of: .referer) == nil)
    }
}

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("application/json", "application/json"), ("Application/JSON", "application/json"),
        ("application/json; charset=utf-8", "application/json"), ("application/json ;x", "application/json"),
        ("\tapplication/json", "application/json"), ("", ""), (";", ""),
    ])
    func `parameters, letter case and blanks do not count`(field: String, type: String) {
        #expect(HeaderText.mediaType(field) == type)
    }
}

@Suite struct BasicCredentialsRFC6749Section2Point3Tests {
    private enum Found: Hashable {
        case absent, unreadable
        case given(id: String, secret: String)
    }

    private func read(_ values: String...) throws -> Found {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .authorization, value: value)) }
        return switch try BasicCredentials.read(fields) {
        case .absent: .absent
        case .unreadable: .unreadable
        case .given(let id, let secret): .given(id: id, secret: secret.expose())
        }
    }

    private func encoded(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

    @Test(arguments: ["Basic", "basic", "BASIC", "Basic  "])
    func `the scheme is read in any case, with any number of blanks`(scheme: String) throws {
        #expect(try read("\(scheme) \(encoded("app:secret"))") == .given(id: "app", secret: "secret"))
    }

    @Test(arguments: [
        ("a%3Ab:c%25d", "a:b", "c%d"), ("a+b:c+d", "a b", "c d"), ("a:b:c", "a", "b:c"), ("a:", "a", ""),
        ("j%C3%B6rg:x", "jörg", "x"),
    ])
    func `name and password are form-encoded inside`(text: String, id: String, secret: String) throws {
        #expect(try read("Basic \(encoded(text))") == .given(id: id, secret: secret))
    }

    @Test(arguments: ["Bearer YTpi", "Basics YTpi", "Basic", ""])
    func `another scheme is none of its business`(field: String) throws {
        #expect(try read(field) == .absent)
    }

    @Test(arguments: [":secret", "nocolon", "a%zz:b", "a:%4", "a:%ff", "%ff:b"])
    func `what cannot be read is nobody's`(text: String) throws {
        #expect(try read("Basic \(encoded(text))") == .unreadable)
    }

    /// `app:s%d8` and the byte 0x9C, found by fuzzing (docs/proof.md).
    @Test func `half a character as an escape and half as it is are no text`() throws {
        #expect(try read("Basic YXBwOnMlZDic") == .unreadable)
    }

    @Test(arguments: ["Basic YTpi=", "Basic YTp", "Basic Y Tpi", "Basic -_8="])
    func `another Base64 than the standard one is nobody's`(field: String) throws {
        #expect(try read(field) == .unreadable)
    }

    @Test func `a second header is refused`() {
        #expect(throws: OAuthError.self) { try read("Basic YTpi", "Basic YTpi") }
        #expect(throws: OAuthError.self) { try read("Basic YTpi", "Bearer x") }
    }
}

/// Cookies as RFC 6265bis §4.1 writes them.
@Suite struct SetCookieTests {
    private func lines(_ set: (inout HTTPFields) -> Void) -> [String] {
        var headers: HTTPFields = [:]
        set(&headers)
        return headers.values(of: .setCookie)
    }

    @Test func `a cookie is of this host alone, over TLS, and out of reach of scripts`() {
        let secret = lines { $0.setCookie("__Host-a", "1", for: .seconds(60)) }
        #expect(secret == ["__Host-a=1; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"])
        let strict = lines { $0.setCookie("__Host-a", "1", for: nil, sameSite: .strict) }
        #expect(strict == ["__Host-a=1; Path=/; Secure; HttpOnly; SameSite=Strict"])
        let readable = lines { $0.setCookie("a", "1", for: .seconds(1), isForScripts: true) }
        #expect(readable == ["a=1; Path=/; Secure; SameSite=Lax; Max-Age=1"])
    }

    @Test(arguments: [(Duration.milliseconds(1_999), 1), (.milliseconds(999), 0), (.seconds(-5), 0)])
    func `a cookie never outlives what it is for`(lifetime: Duration, seconds: Int) {
        let line = lines { $0.setCookie("a", "1", for: lifetime) }
        #expect(line == ["a=1; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(seconds)"])
    }

    @Test func `a cookie is taken away with the attributes that it was set with, beside others`() {
        let taken = lines {
            $0.setCookie("b", "2", for: nil)
            $0.clearCookie("a", sameSite: .strict)
        }
        #expect(
            taken == [
                "b=2; Path=/; Secure; HttpOnly; SameSite=Lax",
                "a=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0",
            ])
    }
}

@Suite struct EntityTagsRFC9110Section13Tests {
    static let tag = #""abc""#

    @Test func `a content's tag is strong, and another content has another`() {
        let tag = EntityTags.strong(of: [1, 2])
        #expect(EntityTags(tag)?.containsStrongly(tag) == true)
        #expect(tag != EntityTags.strong(of: [1, 3]) && tag == EntityTags.strong(of: [1, 2]))
    }

    @Test(arguments: [
        (tag, true, true), ("*", true, true), (#"W/"abc""#, false, true), (#""x", "abc""#, true, true),
        (#""abc" , "x""#, true, true), (#""x,y",,W/"abc""#, false, true), (#","abc","#, true, true),
        (#""x", W/"x", "abc""#, true, true), (#""ABC""#, false, false), (#""abc"#, false, false), ("abc", false, false),
        (#"w/"abc""#, false, false), (#""abc" "x""#, false, false), (#""x*", "*""#, false, false), ("", false, false),
    ])
    func `a state is among the tags that are named, by strong comparison and by weak`(
        field: String, isStrong: Bool, isWeak: Bool
    ) {
        #expect((EntityTags(field)?.containsStrongly(Self.tag) ?? false) == isStrong)
        #expect((EntityTags(field)?.containsWeakly(Self.tag) ?? false) == isWeak)
    }
}
