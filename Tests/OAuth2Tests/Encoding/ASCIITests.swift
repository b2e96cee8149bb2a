import OAuth2
import Testing

@Suite struct ASCIITests {
    private static let digits = "0123456789"
    private static let lowercase = "abcdefghijklmnopqrstuvwxyz"
    private static let uppercase = lowercase.uppercased()
    private static let visible = digits + lowercase + uppercase + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

    private static let classes: [(name: String, members: String, contains: @Sendable (UInt8) -> Bool)] = [
        ("digit", digits, ASCII.isDigit), ("lower case", lowercase, ASCII.isLowercase),
        ("upper case", uppercase, ASCII.isUppercase), ("letter", lowercase + uppercase, ASCII.isLetter),
        ("letter or digit", digits + lowercase + uppercase, ASCII.isLetterOrDigit),
        ("lower-case hex", digits + "abcdef", ASCII.isLowercaseHex),
        ("visible", visible, ASCII.isVisible), ("printable", visible + " ", ASCII.isPrintable),
        ("NQCHAR", visible.filter { $0 != "\"" && $0 != "\\" }, ASCII.isNQCharacter),
        ("name", digits + lowercase + uppercase + "-._", ASCII.isNameByte),
        ("unreserved", digits + lowercase + uppercase + "-._~", ASCII.isUnreserved),
        ("URI", digits + lowercase + uppercase + "-._~:/?[]@!$&'()*+,;=%", ASCII.isURIByte),
        ("token68", digits + lowercase + uppercase + "-._~+/=", ASCII.isToken68),
    ]

    @Test(arguments: classes.indices)
    func `of all 256 bytes a class has its own alone`(_ index: Int) {
        let (name, members, contains) = Self.classes[index]
        for byte in UInt8.min...UInt8.max {
            #expect(contains(byte) == members.utf8.contains(byte), "\(name): \(byte)")
        }
    }

    @Test(arguments: [
        ("0", 0), ("007", 7), ("999999999", 999_999_999), ("", nil), ("1000000000", nil), ("+5", nil), ("-5", nil),
        ("5 ", nil), ("5.0", nil), ("0x5", nil), ("\u{661}", nil),
    ])
    func `a number is written in digits alone`(_ text: String, _ value: Int?) {
        #expect(ASCII.decimal(text) == value)
    }
}
