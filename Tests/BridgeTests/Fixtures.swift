import Bridge
import Foundation
import OAuth2
import Synchronization
import Testing

/// 2026-11-21T07:00:00Z.
let noon = Timestamp(seconds: 1_795_244_400)

/// A clock that stands still until it is told otherwise.
final class FixedClock: Sendable {
    private let instant: Mutex<Timestamp>
    init(_ start: Timestamp = noon) { instant = Mutex(start) }
    var source: TimeSource { TimeSource { [self] in instant.withLock { $0 } } }
    var now: Timestamp { instant.withLock { $0 } }
    func advance(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// Bytes that differ from call to call and are the same in every run.
final class CountingRandom: Sendable {
    private let counter = Mutex<UInt64>(0)
    var source: RandomSource {
        RandomSource { [self] count in
            let number = counter.withLock { value in
                value += 1
                return value
            }
            let mixed = number &* 0x9E37_79B9_7F4A_7C15
            return (0..<count).map { UInt8(truncatingIfNeeded: mixed >> UInt64($0 % 8 * 8)) ^ UInt8($0) }
        }
    }
}

func keyRing(_ ids: String..., signsFrom: Timestamp = Timestamp(seconds: 0)) -> SecretKeyRing {
    SecretKeyRing(
        keys: ids.enumerated().map { index, id in
            SecretKey(
                id: id, secret: Secret([UInt8](repeating: UInt8(index + 1), count: 32)),
                signsFrom: signsFrom + .seconds(index), retiresAt: nil)
        })
}

let app: ClientID = "app"
let website: ClientID = "web"

func testClients() throws -> [Client] {
    var cookies = Client(
        id: "cookies", name: "A website with cookies of its own names", kind: .web,
        returnPaths: try ReturnPathPolicy(entries: ["/"], defaultPath: "/"))
    cookies.cookieProfile = .tokens
    return [
        cookies,
        Client(
            id: app, name: "App", kind: .native, canIssueLoginTokens: true,
            mayReach: [website, "confirming", "typing", "cookies"]),
        Client(id: "mute", name: "An app without the right", kind: .native),
        Client(
            id: website, name: "Website", kind: .web,
            returnPaths: try ReturnPathPolicy(entries: ["/contacts", "/account/*"], defaultPath: "/contacts"),
            sessionLifetime: .seconds(3600), sessionIdle: .seconds(600)),
        Client(
            id: "confirming", name: "A website that asks", kind: .web,
            publicOrigin: WebOrigin("https://shop.example"),
            returnPaths: try ReturnPathPolicy(entries: ["/"], defaultPath: "/"), redeemMode: .confirm,
            replayResponse: .alert),
        Client(
            id: "typing", name: "A website whose links travel by mail", kind: .web,
            returnPaths: try ReturnPathPolicy(entries: ["/"], defaultPath: "/"), redeemMode: .code),
        Client(
            id: "unreachable", name: "Another website", kind: .web,
            returnPaths: try ReturnPathPolicy(entries: ["/"], defaultPath: "/")),
    ]
}

func origin(_ address: String? = "203.0.113.7", userAgent: String? = "Safari", id: String = "r") -> RequestOrigin {
    RequestOrigin(address: address.flatMap { NetworkAddress($0) }, userAgent: userAgent, requestID: id)
}
