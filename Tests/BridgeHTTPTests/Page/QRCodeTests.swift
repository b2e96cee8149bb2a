import Testing

@testable import BridgeHTTP

@Suite struct QRCodeTests {
    private func rows(_ text: String) throws -> [String] {
        let code = try #require(QRCode(Array(text.utf8)))
        return (0..<code.size).map { row in String((0..<code.size).map { code[row, $0] ? "1" : "0" }) }
    }

    @Test func `a code is module for module what another encoder makes of the same text`() throws {
        // By python-qrcode 8.2: byte mode, level M, mask 2.
        let expected = """
            11111110000001110001101111111
            10000010001001111000101000001
            10111010101111010010101011101
            10111010111100110110001011101
            10111010110000011101101011101
            10000010100100000000001000001
            11111110101010101010101111111
            00000000111010101001000000000
            10111110011010001000101111100
            01001101101001110111101110011
            01010111010101111110100101000
            10001000010111010011010101010
            00110111011010110000000001110
            10011101001010011011101111001
            10111011101110000110110011000
            10000001000010101010110111010
            10001011001100000000010101100
            11101101000011110001111111001
            10101110011101110110101100000
            10101001010011010001001101001
            10010011001000111000111110101
            00000000100110011001100010111
            11111110000010010101101010000
            10000010110100111001100010010
            10111010111110010000111111110
            10111010101011111101100000111
            10111010111000011011111010110
            10000010000110000001110100010
            11111110111001011110000100100
            """
        #expect(try rows("otpauth://totp/a?secret=JBSWY3DP").joined(separator: "\n") == expected)
    }

    // ISO/IEC 18004 table 7, byte mode, level M.
    @Test(arguments: [(1, 21), (14, 21), (15, 25), (26, 25), (27, 29), (122, 45), (180, 53), (181, 57), (666, 97)])
    func `a code is as small as its text allows`(bytes: Int, size: Int) {
        #expect(QRCode([UInt8](repeating: 0x61, count: bytes))?.size == size)
    }

    @Test func `what no version holds is no code`() {
        #expect(QRCode([UInt8](repeating: 0x61, count: 667)) == nil)
    }

    @Test func `the drawing has every dark module and a light margin of four`() throws {
        let code = try #require(QRCode(Array("a".utf8)))
        let drawing = code.drawing
        #expect(drawing.side == code.size + 8)
        // The finder's top edge: seven modules from the margin on.
        #expect(drawing.path.hasPrefix("M4 4h7v1h-7z"))
        let widths = drawing.path.split(separator: "h").compactMap { Int($0.prefix { $0.isNumber }) }
        let dark = (0..<code.size).reduce(0) { sum, row in sum + (0..<code.size).count { code[row, $0] } }
        #expect(widths.reduce(0, +) == dark)
    }
}
