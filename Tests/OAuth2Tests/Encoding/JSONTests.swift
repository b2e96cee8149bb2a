import OAuth2
import Testing

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1f}\u{7f}", #""\u0000\u001f\u007f""#), ("</script>&", #""\u003c/script>&""#),
        ("\u{2028}x\u{2029}", #""\u2028x\u2029""#), ("é€\u{2030}😀", "\"é€\u{2030}😀\""),
    ])
    func `a string is escaped for JSON and HTML`(text: String, expected: String) {
        #expect(JSONText.quoted(text) == expected)
    }

    @Test func `an object keeps the order of its members`() {
        var writer = JSONObjectWriter()
        writer.add("z", "1")
        writer.add("n", 2)
        writer.addNull("null")
        writer.add("list", ["x", "y"])
        writer.add("inner", json: #"{"a":true}"#)
        let expected = #"{"z":"1","n":2,"null":null,"list":["x","y"],"inner":{"a":true}}"#
        #expect(writer.finishedText() == expected)
    }

    @Test(
        arguments: [
            ([], #"{"aud":[]}"#), (["a"], #"{"aud":"a"}"#), (["a", "b"], #"{"aud":["a","b"]}"#),
        ] as [([String], String)])
    func `RFC 7519 §4.1.3: one audience is written as a string, several as an array`(
        audience: [String], expected: String
    ) {
        var writer = JSONObjectWriter()
        writer.add("aud", oneOrMore: audience)
        #expect(writer.finishedText() == expected)
    }

    @Test func `an object without members is empty`() {
        #expect(JSONObjectWriter().finish() == Array("{}".utf8))
    }
}

@Suite struct JSONValueTests {
    @Test func `every kind of value is read`() {
        let text = #" {"s":"a\u00e9\ud83d\ude00\/","i":-12,"d":1.5e3,"t":true,"f":false,"n":null,"a":["x"]} "#
        let value = JSONValue.parse(text.utf8)?.object
        #expect(value?["s"]?.string == "aé😀/")
        #expect(value?["i"]?.integer == -12)
        #expect(value?["d"]?.decimal == 1500)
        #expect(value?["d"]?.integer == nil)
        #expect(value?["t"]?.bool == true)
        #expect(value?["f"]?.bool == false)
        #expect(value?["n"]?.isNull == true)
        #expect(value?["a"]?.strings == ["x"])
    }

    @Test(
        arguments: [
            (#""a""#, ["a"]), (#""""#, [""]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []),
            (#"["a",1]"#, nil), (#"[["a"]]"#, nil), ("1", nil), ("null", nil), (#"{"a":"b"}"#, nil),
        ] as [(String, [String]?)])
    func `RFC 7519 §4.1.3: an audience is one string or several, and nothing else`(text: String, audience: [String]?) {
        #expect(JSONValue.parse(text.utf8)?.oneOrMore == audience)
    }

    private static let wholeNumbers: [(text: String, number: Int64?)] = [
        ("45", 45), ("45.0", 45), ("45.000", 45), ("-7.0", -7), ("0.0", 0), ("-0.0", 0),
        ("9007199254740991.0", 9_007_199_254_740_991), ("-9007199254740991.0", -9_007_199_254_740_991),
        ("9223372036854775807", .max), ("9007199254740992.0", nil), ("-9007199254740992.0", nil),
        ("9223372036854775808", nil), ("9223372036854775808.0", nil), ("45.5", nil), ("45.01", nil), ("45.0e0", nil),
        ("45e0", nil), ("4.5e1", nil), ("\"45\"", nil), ("true", nil), ("null", nil),
    ]

    @Test(arguments: wholeNumbers)
    func `a whole number may have a fraction of zeros, within what a double holds exactly`(
        text: String, number: Int64?
    ) {
        #expect(JSONValue.parse(text.utf8)?.wholeNumber == number)
    }

    @Test func `what is read by the letter is an integer without a fraction alone`() {
        #expect(JSONValue.parse("45".utf8)?.integer == 45)
        #expect(JSONValue.parse("45.0".utf8)?.integer == nil)
    }

    @Test(arguments: [
        "", "{", "{}x", #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, "{a:1}", "[1,]", "{\"a\":1,}", "01", "+1", "1.",
        ".5", "1e", "-", "NaN", "tru", "\"\u{1}\"", #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #""\x""#, #""\u12"#,
        "\"open", "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
    ])
    func `broken JSON is refused`(text: String) {
        #expect(JSONValue.parse(text.utf8) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(JSONValue.parse([0x22, 0xC0, 0x80, 0x22]) == nil)
    }

    @Test(arguments: [
        ("1e308", true), ("-1e308", true), ("1e-999", true), ("1e999", false), ("-1e999", false),
        (#"{"a":[1,{"b":"1e999"}]}"#, true), (#"{"a":[1,{"b":1e999}]}"#, false),
    ])
    func `a number that no double holds is found wherever it lies`(text: String, isFinite: Bool) throws {
        #expect(try #require(JSONValue.parse(text.utf8)).isFinite == isFinite)
    }

    @Test func `a mixed array gives no strings`() {
        #expect(JSONValue.parse(#"["a",1]"#.utf8)?.strings == nil)
    }

    @Test func `what the writer writes the reader reads`() {
        let text = String(String.UnicodeScalarView((0..<0x3000).compactMap { Unicode.Scalar(UInt32($0)) }))
        #expect(JSONValue.parse(JSONText.quoted(text).utf8)?.string == text)
    }
}

@Suite struct Base64Tests {
    @Test(
        arguments: [([], ""), ([0xFB], "+w=="), ([0xFF, 0xEF], "/+8="), ([1, 2, 3], "AQID")] as [([UInt8], String)])
    func `bytes and text match`(bytes: [UInt8], text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(arguments: ["+w", "+w=", "-w==", "+x==", "====", "A===", "AQI=AQID", "AQ D"])
    func `other spellings are refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
