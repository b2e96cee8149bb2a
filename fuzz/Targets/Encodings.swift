import Bridge
import Foundation
import OAuth2

extension FuzzTarget {
    static let encodings = [
        FuzzTarget("json", json), FuzzTarget("form", form), FuzzTarget("rfc3339", rfc3339),
    ]

    /// Foundation reads what we read, and reads the same.
    private static let json: @Sendable ([UInt8]) -> String? = { input in
        guard let value = JSONValue.parse(bytes: input) else { return nil }
        guard JSONValue.parse(Array(value.text.utf8)) == value else {
            return "written and read again it is another value"
        }
        guard isRepresentable(value) else { return nil }
        guard let theirs = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed) else {
            return "Foundation does not read it"
        }
        return agrees(value, theirs) ? nil : "Foundation reads something else"
    }

    /// Foundation refuses numbers beyond a double; we keep their digits.
    private static func isRepresentable(_ value: JSONValue) -> Bool {
        switch value {
        case .number: value.decimal.map { $0.isFinite } ?? false
        case .array(let values): values.allSatisfy(isRepresentable)
        case .object(let members): members.values.allSatisfy(isRepresentable)
        default: true
        }
    }

    private static func agrees(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .bool(let value): return (theirs as? NSNumber)?.boolValue == value
        case .number:
            guard let value = ours.decimal, let number = theirs as? NSNumber else { return false }
            return abs(number.doubleValue - value) <= abs(value) * 1e-12
        case .string(let text): return (theirs as? String).map { same($0, text) } ?? false
        case .array(let values):
            guard let list = theirs as? [Any], list.count == values.count else { return false }
            return zip(values, list).allSatisfy(agrees)
        case .object(let members):
            guard let object = theirs as? [String: Any], object.count == members.count else { return false }
            return members.allSatisfy { member in object[member.key].map { agrees(member.value, $0) } ?? false }
        }
    }

    /// The parameters are those that the URL Standard's parser of such bodies finds, and no others.
    private static let form: @Sendable ([UInt8]) -> String? = { input in
        guard let form = try? FormParameters(bytes: input) else { return nil }
        let pairs = plainPairs(input)
        guard form.count == pairs.count else { return "another number of parameters" }
        for (name, _) in pairs {
            guard let name = String(validating: name, as: UTF8.self) else { continue }
            let first = pairs.first { $0.name == Array(name.utf8) }?.value
            guard form.bytes(name) == (first?.isEmpty == true ? nil : first) else { return "another value" }
        }
        let names = Set(pairs.map(\.name))
        guard form.hasRepeated == (names.count < pairs.count) else { return "wrong about repetition" }
        return nil
    }

    /// The URL Standard's §5.1: split at `&`, at the first `=`, plus to space, percent-decode leniently.
    private static func plainPairs(_ input: [UInt8]) -> [(name: [UInt8], value: [UInt8])] {
        input.split(separator: UInt8(ascii: "&")).map { part in
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (lenient(sides[0]), sides.count == 2 ? lenient(sides[1]) : [])
        }
    }

    private static func lenient(_ part: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
                let octet = UInt8(text(digits), radix: 16)
            {
                output.append(octet)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return output
    }

    /// An instant is the one that the C library computes from the same fields, and is written so that it is read again.
    private static let rfc3339: @Sendable ([UInt8]) -> String? = { input in
        guard let instant = Timestamp(rfc3339: text(input)) else { return nil }
        let written = instant.rfc3339
        guard Timestamp(rfc3339: written) == instant else { return "written and read again it is another instant" }
        guard let first = input.first, first < 0x80 else { return "a digit that is none" }
        let fields = text(input).split { !$0.isNumber }.prefix(6).compactMap { Int32($0) }
        guard fields.count == 6 else { return "a field that is no number" }
        var time = tm()
        time.tm_year = fields[0] - 1900
        time.tm_mon = fields[1] - 1
        time.tm_mday = fields[2]
        time.tm_hour = fields[3]
        time.tm_min = fields[4]
        time.tm_sec = fields[5]
        // The offset is at most a day; without it the two agree to the second.
        let there = Int64(timegm(&time))
        let here = instant.milliseconds >= 0 ? instant.milliseconds / 1000 : (instant.milliseconds - 999) / 1000
        let isZulu = input.last == UInt8(ascii: "Z") || input.last == UInt8(ascii: "z")
        return (isZulu ? here == there : abs(here - there) < 86_400) ? nil : "another instant than the C library's"
    }
}
