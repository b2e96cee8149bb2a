import Foundation
import HTTPTypes
import NIOCore
import OAuth2

@testable import Bridge
@testable import BridgeHTTP
@testable import RedisStorage

extension FuzzTarget {
    static let requests = [
        FuzzTarget("cookie", cookie), FuzzTarget("authorization", authorization), FuzzTarget("device-code", deviceCode),
        FuzzTarget("redis", redis), FuzzTarget("traceparent", traceparent),
        FuzzTarget("accent-stylesheet", accentStylesheet),
    ]

    /// What is believed of a trace is passed on in the one spelling, and reads back as it was.
    private static let traceparent: @Sendable ([UInt8]) -> String? = { input in
        let header = text(input)
        guard let trace = TraceContext(traceparent: header) else { return nil }
        guard TraceContext(traceparent: trace.traceparent) == trace else { return "read differently" }
        guard trace.traceparent.utf8.count == 55, header.hasPrefix(String(header.prefix(3)) + trace.traceID) else {
            return "another trace"
        }
        let digits = Set("0123456789abcdef-".utf8)
        guard trace.traceparent.utf8.allSatisfy(digits.contains) else { return "a byte that no header has" }
        guard let journey = trace.journey else { return trace.isSampled ? "no journey" : nil }
        return TraceContext(journey: journey) == trace ? nil : "a token says something else"
    }

    /// A stylesheet is that of its name, can be read, and has no byte of the name but twelve digits.
    private static let accentStylesheet: @Sendable ([UInt8]) -> String? = { input in
        let name = text(input)
        guard let sheet = AccentStylesheet(name: name) else { return nil }
        guard same(sheet.name, name.lowercased()) else { return "another name" }
        let (light, dark) = (sheet.accent.light, sheet.accent.dark)
        guard ColourScheme.light.worst(for: light).contrast >= ColourScheme.leastContrast,
            ColourScheme.dark.worst(for: dark).contrast >= ColourScheme.leastContrast
        else { return "cannot be read" }
        let lines = sheet.text.split(separator: "\n")
        let isPlain = lines.allSatisfy { line in
            line.wholeMatch(of: #/ *:root \{ --accent: #[0-9a-f]{6}; --accent-strong: #[0-9a-f]{6}; \}/#) != nil
                || line == "@media (prefers-color-scheme: dark) {" || line == "}"
        }
        return isPlain && lines.count == 4 ? nil : "sets something else"
    }

    /// The value is that of the only cookie of the name, by a second reading that splits where RFC 6265 says.
    private static let cookie: @Sendable ([UInt8]) -> String? = { input in
        let header = text(input)
        for name in ["__Host-drawbridge_session", "a"] {
            let found = CookieHeader.value(named: name, in: header)
            let named = header.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair -> [UInt8]? in
                let bytes = Array(pair).trimmed { $0 == 0x20 || $0 == 0x09 }
                return bytes.starts(with: "\(name)=".utf8) ? Array(bytes.dropFirst(name.utf8.count + 1)) : nil
            }
            if let found {
                guard named == [Array(found.utf8)] else { return "another cookie's value" }
                guard found.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\",;\\".utf8.contains($0) }) else {
                    return "a byte that no cookie holds"
                }
            }
            guard CookieHeader.names(name, in: header) || named.isEmpty else { return "a cookie that is overlooked" }
        }
        guard CookieHeader.value(of: "a", in: header) == CookieHeader.value(named: "a", in: header) else {
            return "two ways of reading differ"
        }
        return nil
    }

    /// A name and a password are what Foundation's base64 holds; a token is a token68 (RFC 9110 §11.2).
    private static let authorization: @Sendable ([UInt8]) -> String? = { input in
        // Other bytes never come this far: a field's value is checked before.
        guard input.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
        let field = text(input)
        _ = HeaderText.mediaType(field)
        if HeaderText.encode(field).utf8.contains(where: { !(0x21...0x7E).contains($0) }) {
            return "unsafe in a header"
        }
        if let token = AuthorizationField(field)?.token68, !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return "no token68"
        }
        var fields = HTTPFields()
        fields[.authorization] = field
        guard case .given(let id, let secret)? = try? BasicCredentials.read(fields) else { return nil }
        guard let value = fields[.authorization]?.split(separator: " ").last,
            let data = Data(base64Encoded: String(value)),
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return "Foundation reads no such credentials" }
        func decoded(_ part: Data) -> String? {
            text(part).replacing("+", with: " ").removingPercentEncoding
        }
        guard decoded(data[..<colon]).map({ same($0, id) }) ?? false,
            decoded(data[(colon + 1)...]).map({ same($0, secret.expose()) }) ?? false
        else { return "Foundation reads others" }
        return nil
    }

    /// A code is the one that is shown, however it was typed.
    private static let deviceCode: @Sendable ([UInt8]) -> String? = { input in
        guard let code = DeviceUserCode(text(input)) else { return nil }
        guard code.shown.utf8.count == 9, DeviceUserCode(code.shown) == code else { return "shown as another" }
        return DeviceUserCode(code.shown.lowercased()) == code ? nil : "another in lower case"
    }

    /// Replies are the same however the network cuts them, and as often refused.
    private static let redis: @Sendable ([UInt8]) -> String? = { input in
        let whole = replies(input, pieces: max(1, input.count))
        for size in [1, 3, 7] where replies(input, pieces: size) != whole {
            return "cut in \(size) it is something else"
        }
        return nil
    }

    private struct Reading: Equatable {
        var replies: [RedisReply] = []
        var isBroken = false
    }

    private static func replies(_ input: [UInt8], pieces size: Int) -> Reading {
        var reading = Reading()
        // More than any input here, so that the limit decides alike for all pieces.
        guard let reader = try? RedisReplyReader(byteLimit: 1 << 20) else { return reading }
        do {
            for start in stride(from: 0, to: input.count, by: size) {
                try reader.feed(ByteBuffer(bytes: input[start..<min(start + size, input.count)]))
                while let reply = try reader.next() {
                    reading.replies.append(reply)
                    if let error = reply.serverError { _ = error.description }
                }
            }
        } catch {
            reading.isBroken = true
        }
        return reading
    }
}

extension Array {
    fileprivate func trimmed(_ isSpace: (Element) -> Bool) -> [Element] {
        let start = drop(while: isSpace)
        return Array(start.reversed().drop(while: isSpace).reversed())
    }
}
