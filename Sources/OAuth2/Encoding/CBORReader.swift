/// A strict CBOR parser (RFC 8949) over bytes, for ``CBORValue``.
struct CBORReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func value(depth: Int) -> CBORValue? {
        guard let first = rest.popFirst() else { return nil }
        let detail = first & 0x1F
        // The only simple values; what a number would follow for is a float.
        if first >> 5 == 7 { return detail == 20 || detail == 21 ? .bool(detail == 21) : nil }
        guard let argument = argument(detail), let number = Int64(exactly: argument) else { return nil }
        switch first >> 5 {
        case 0: return .integer(number)
        case 1: return .integer(-1 - number)
        case 2: return take(number).map { .bytes(Array($0)) }
        case 3: return take(number).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4: return depth > 0 ? array(number, depth: depth - 1) : nil
        case 5: return depth > 0 ? map(number, depth: depth - 1) : nil
        default: return nil
        }
    }

    /// The number that a first byte announces (RFC 8949 §3), in its shortest form (§4.2.1).
    private mutating func argument(_ detail: UInt8) -> UInt64? {
        switch detail {
        case 0..<24: return UInt64(detail)
        case 24: return number(of: 1).flatMap { $0 < 24 ? nil : $0 }
        case 25: return number(of: 2).flatMap { $0 <= UInt8.max ? nil : $0 }
        case 26: return number(of: 4).flatMap { $0 <= UInt16.max ? nil : $0 }
        case 27: return number(of: 8).flatMap { $0 <= UInt32.max ? nil : $0 }
        // Indefinite lengths among them.
        default: return nil
        }
    }

    private mutating func number(of length: Int) -> UInt64? {
        take(Int64(length))?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: Int64) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// Each element has a byte at least: what announces more than there is left is refused before any is made.
    private mutating func array(_ count: Int64, depth: Int) -> CBORValue? {
        guard count <= rest.count else { return nil }
        var elements: [CBORValue] = []
        for _ in 0..<count {
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private mutating func map(_ count: Int64, depth: Int) -> CBORValue? {
        guard count <= rest.count / 2 else { return nil }
        var members: [CBORValue: CBORValue] = [:]
        for _ in 0..<count {
            guard let name = value(depth: 0), name.isName, let value = value(depth: depth),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return .map(members)
    }
}

extension CBORValue {
    fileprivate var isName: Bool {
        switch self {
        case .integer, .text: true
        default: false
        }
    }
}
