import Foundation
import OAuth2

/// A colour of sRGB without transparency.
package struct Colour: Hashable, Sendable, CustomStringConvertible {
    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    package static let black = Colour(0x000000)
    package static let white = Colour(0xFFFFFF)

    /// - Parameter number: `0xRRGGBB`.
    package init(_ number: UInt32) {
        red = UInt8(truncatingIfNeeded: number >> 16)
        green = UInt8(truncatingIfNeeded: number >> 8)
        blue = UInt8(truncatingIfNeeded: number)
    }

    private init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Parameter digits: six hexadecimal digits, `2450c8`.
    package init?(digits: some StringProtocol) {
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ HexDigit.value($0) != nil }),
            let number = UInt32(digits, radix: 16)
        else { return nil }
        self.init(number)
    }

    /// - Parameter text: as stylesheets write it, `#2450c8`.
    package init?(_ text: String) {
        guard text.first == "#" else { return nil }
        self.init(digits: text.dropFirst())
    }

    /// Six digits in lower case.
    package var digits: String { HexDigit.encode([red, green, blue]) }

    package var description: String { "#" + digits }

    /// Relative luminance (WCAG 2.2).
    private var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Contrast ratio, from 1 to 21 (WCAG 2.2).
    package func contrast(with other: Colour) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    func mixed(with other: Colour, share: Double) -> Colour {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8((Double(one) * (1 - share) + Double(two) * share).rounded())
        }
        return Colour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
