import Testing

@testable import Bridge

@Suite struct DeviceNameTests {
    @Test(
        arguments: [
            (nil, nil), ("", nil), ("   ", nil), ("\u{7}\u{202E}\n", nil), ("  Alice's phone  ", "Alice's phone"),
            ("a\u{0}b\u{200B}c", "abc"), (String(repeating: "x", count: 70), String(repeating: "x", count: 64)),
            ("Handy von Jörg 📱", "Handy von Jörg 📱"),
        ] as [(String?, String?)])
    func `a device's name is one plain line that others can read`(text: String?, expected: String?) {
        #expect(DeviceName.clean(text) == expected)
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("Photos/3.1 CFNetwork/1490", "Photos/3.1"), ("Mozilla/5.0 (iPhone)", nil),
        ] as [(String?, String?)])
    func `a user agent names the device by its first product`(userAgent: String?, expected: String?) {
        #expect(DeviceName.fromUserAgent(userAgent) == expected)
    }
}
