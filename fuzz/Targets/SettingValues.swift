import Foundation
import OAuth2

@testable import Bridge
@testable import drawbridge

extension FuzzTarget {
    static let settings = [
        FuzzTarget("client-document", clientDocument), FuzzTarget("setting-value", settingValue),
    ]

    /// A document that is accepted is written so that it is accepted again as the same client.
    private static let clientDocument: @Sendable ([UInt8]) -> String? = { input in
        guard let document = try? JSONDecoder().decode(ClientDocument.self, from: Data(input)) else { return nil }
        guard let written = try? JSONEncoder().encode(document) else { return "not written" }
        guard let again = try? JSONDecoder().decode(ClientDocument.self, from: written) else {
            return "what we write of it is refused"
        }
        return again.client == document.client ? nil : "written and read again it is another client"
    }

    /// Durations, addresses, networks and origins are written as they were read.
    private static let settingValue: @Sendable ([UInt8]) -> String? = { input in
        let given = text(input)
        if let duration = DurationText.parse(given), DurationText.parse(DurationText.describe(duration)) != duration {
            return "a duration that is not written as it was read"
        }
        if let address = ListenAddress(given), ListenAddress(address.description) != address {
            return "an address that is not written as it was read"
        }
        if let address = NetworkAddress(given), NetworkAddress("\(address)") != address {
            return "an IP address that is not written as it was read"
        }
        if let prefix = NetworkPrefix(given), NetworkPrefix("\(prefix)") != prefix {
            return "a network that is not written as it was read"
        }
        if let origin = WebOrigin(given) {
            guard let parts = URLComponents(string: given) else { return "an origin that Foundation does not read" }
            guard parts.path.isEmpty, parts.user == nil, parts.query == nil, parts.fragment == nil else {
                return "more than an origin"
            }
            guard same(parts.host ?? "", origin.host) else { return "Foundation reads the host \(parts.host ?? "")" }
        }
        if let url = WebURL(given) {
            guard let parts = URLComponents(string: given), parts.user == nil, parts.fragment == nil,
                same(parts.host ?? "", url.origin.host)
            else { return "Foundation reads another address" }
        }
        return nil
    }
}
