import Testing

@testable import Bridge

@Suite struct SixDigitsTests {
    @Test(arguments: [
        ("123456", "123456"), (" 123 456 ", "123456"), ("123-456", "123456"), ("١٢٣٤٥٦", "123456"),
        ("１２３４５６", "123456"), ("۰۹۸۷۶۵", "098765"), ("१२३४५६", "123456"), ("123\u{a0}456", "123456"),
    ])
    func `digits of every script are read`(typed: String, digits: String) {
        #expect(SixDigits.read(typed) == digits)
    }

    @Test(arguments: [
        "", "   ", "12345", "1234567", "12345a", "①②③④⑤⑥", "¹²³⁴⁵⁶", "一二三四五六", "12345\u{301}6", "+12345", "1.2345",
        String(repeating: " ", count: 64) + "123456",
    ])
    func `what is no code is no try`(typed: String) {
        #expect(SixDigits.read(typed) == nil)
    }
}
