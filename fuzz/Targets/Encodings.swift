import Bridge
import Foundation
import OAuth2

extension FuzzTarget {
    static let encodings = [
        FuzzTarget("json", json), FuzzTarget("form", form), FuzzTarget("rfc3339", rfc3339),
        FuzzTarget("cbor", cbor), FuzzTarget("authenticator-data", authenticatorData),
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

    /// What is read has one spelling but for the order of names: written again it is as long, and reads the same.
    private static let cbor: @Sendable ([UInt8]) -> String? = { input in
        guard let value = CBORValue.parse(input) else { return nil }
        let written = bytes(of: value)
        guard written.count == input.count else { return "it has a shorter spelling" }
        guard CBORValue.parse(written) == value else { return "written and read again it is another value" }
        guard let (first, rest) = CBORValue.parse(beginningOf: (input + [0])[...]), first == value, rest.count == 1
        else { return "with a byte behind it is another value" }
        return CBORValue.parse(Array(input.dropLast())) == nil ? nil : "without its end it is a value too"
    }

    /// RFC 8949 §3, by somebody else than the reader.
    private static func bytes(of value: CBORValue) -> [UInt8] {
        func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
            let length = number < 24 ? 0 : number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
            guard length > 0 else { return [kind << 5 | UInt8(number)] }
            let detail: UInt8 = length == 1 ? 24 : length == 2 ? 25 : length == 4 ? 26 : 27
            return [kind << 5 | detail]
                + (0..<length).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (length - 1 - $0))) }
        }
        return switch value {
        case .integer(let number): number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let values): head(4, UInt64(values.count)) + values.flatMap(bytes)
        case .map(let members):
            head(5, UInt64(members.count)) + members.flatMap { bytes(of: $0.key) + bytes(of: $0.value) }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        }
    }

    /// What is read says what its bytes say, and no byte may be missing or left.
    private static let authenticatorData: @Sendable ([UInt8]) -> String? = { input in
        guard let data = AuthenticatorStatement(input) else { return nil }
        guard data.relyingPartyHash == Array(input[..<32]) else { return "another relying party" }
        guard data.isUserPresent == (input[32] & 1 != 0), data.isUserVerified == (input[32] & 4 != 0) else {
            return "another user"
        }
        guard (data.credential != nil) == (input[32] & 0x40 != 0) else { return "a credential that is not there" }
        if let credential = data.credential {
            guard Array(input[55..<55 + credential.id.count]) == credential.id else { return "another id" }
            guard credential.key.coseAlgorithm != nil else { return "a key of no algorithm" }
        }
        guard AuthenticatorStatement(input + [0]) == nil else { return "a byte behind makes no difference" }
        return AuthenticatorStatement(Array(input.dropLast())) == nil ? nil : "a missing byte makes no difference"
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
