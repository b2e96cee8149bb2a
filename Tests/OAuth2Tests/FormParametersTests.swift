import OAuth2
import Testing
import TestSupport

@Suite struct FormParametersTests {
    private func parse(_ text: String) throws -> FormParameters { try FormParameters(parsing: text.utf8) }

    @Test func `names and values are decoded once`() throws {
        let form = try parse("a=1%202&b+c=%2541&d")
        #expect(form["a"] == "1 2")
        #expect(form["b c"] == "%41")
        #expect(form["d"] == nil)
        #expect(form.names == ["a", "b c", "d"])
    }

    @Test func `an empty value counts as absent, RFC 6749 section 3 point 1`() throws {
        let form = try parse("a=&b=x")
        #expect(form["a"] == nil)
        #expect(form.bytes("a") == nil)
        #expect(form["b"] == "x")
    }

    @Test func `a repeated parameter is seen, even when empty`() throws {
        let form = try parse("a=1&b=2&%61=")
        #expect(form.isRepeated("a"))
        #expect(!form.isRepeated("b"))
        #expect(form.hasRepeated)
        #expect(try !parse("a=1&b=1").hasRepeated)
    }

    @Test func `one parameter may be repeated where its rules let it, and no other`() throws {
        #expect(try !parse("a=1&a=2&b=3").hasRepeated(besides: "a"))
        #expect(try parse("a=1&a=2&b=3&b=4").hasRepeated(besides: "a"))
        #expect(try parse("%ff=1&%ff=2").hasRepeated(besides: "a"))
    }

    @Test(arguments: ["a=%", "a=%4", "a=%4g", "%zz=1", "a=%%41"])
    func `a malformed escape is refused`(text: String) {
        #expect(throws: FormParameters.Failure.malformedEscape) { try parse(text) }
    }

    @Test func `of a link what cannot be decoded stays as it came, and spoils nothing beside it`() throws {
        func link(_ text: String) throws -> FormParameters { try FormParameters(keepingMalformed: Array(text.utf8)) }
        let form = try link("a=/x%&%zz=1&b=%2Fy&c+d=1+2&a=%4g")
        #expect(form["a"] == "/x%")
        #expect(form["%zz"] == "1")
        #expect(form["b"] == "/y")
        #expect(form["c d"] == "1 2")
        #expect(form.isRepeated("a"))
        #expect(throws: FormParameters.Failure.tooMany) { try link((0..<65).map { "p\($0)" }.joined(separator: "&")) }
    }

    @Test(arguments: [
        ("a=%zz&b=1", true), ("b=1&%zz=1", true), ("b=%zz", false), ("%62=%", false), ("b=%ff&a=%", true),
    ])
    func `what matters of a link has to be well-formed`(text: String, isTaken: Bool) {
        let link = try? FormParameters(keepingMalformed: Array(text.utf8), besides: ["b"])
        #expect((link != nil) == isTaken)
    }

    @Test func `what came by two ways counts as repeated, and keeps its value`() throws {
        let form = try parse("token=a&other=b").adding("token", of: try parse("token=c&other=d"))
        #expect(form.isRepeated("token") && !form.isRepeated("other"))
        #expect(form["token"] == "a")
        #expect(form.count == 3)
    }

    @Test func `what came by the other way alone is there once, and what is empty did not come`() throws {
        let form = try parse("other=b")
        let (other, empty) = (try parse("token=c"), try parse("token=&x=1"))
        #expect(form.adding("token", of: other)["token"] == "c")
        #expect(!form.adding("token", of: other).isRepeated("token"))
        #expect(form.adding("token", of: empty).count == 1)
    }

    @Test func `more than 64 parameters are refused`() throws {
        let many = (0..<65).map { "p\($0)=1" }.joined(separator: "&")
        #expect(throws: FormParameters.Failure.tooMany) { try parse(many) }
        #expect(try parse((0..<64).map { "p\($0)=1" }.joined(separator: "&")).names.count == 64)
    }

    @Test func `invalid UTF-8 is visible as bytes and never as text`() throws {
        let form = try parse("a=%ff&%fe=1")
        #expect(form.bytes("a") == [0xFF])
        #expect(form["a"] == nil)
        #expect(form.names == ["a"])
    }

    @Test(arguments: [("a=%c3%a4&b=1", true), ("", true), ("a=%ff", false), ("%ff=1", false), ("a=1&b=%c3", false)])
    func `a form is text in its names and in its values, RFC 6749 Appendix B`(text: String, isText: Bool) throws {
        let form = try parse(text)
        #expect(((try? form.checkText()) != nil) == isText)
    }

    @Test func `an equals sign in a value belongs to the value`() throws {
        #expect(try parse("token=abc=def==")["token"] == "abc=def==")
    }

    @Test func `random bytes never crash and never give two readings of one parameter`() {
        var generator = SplitMix64(seed: 3)
        let alphabet = Array("ab=&%+0f4\u{7f}".utf8) + [0xFF, 0x00]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            guard let form = try? FormParameters(parsing: text) else { continue }
            #expect(form.names.count == Set(form.names).count)
            if !form.hasRepeated { #expect(!form.names.contains(where: form.isRepeated)) }
        }
    }

    @Test func `no parameters is a form too`() {
        #expect(FormParameters.none.names.isEmpty)
    }
}
