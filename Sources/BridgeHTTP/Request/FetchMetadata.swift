import Bridge
import HTTPTypes

/// What the browser says about where a request comes from (W3C Fetch Metadata; `Origin`, RFC 6454 §7).
///
/// Scripts cannot set these fields, so their presence is the browser's own word. A repeated or unknown value reads as
/// the least trusted one.
enum FetchMetadata {
    static func site(_ headers: HTTPFields) -> Visit.FetchSite? {
        let values = headers.values(of: .secFetchSite)
        guard let value = values.first else { return nil }
        guard values.count == 1 else { return .other }
        return switch value {
        case "none": Visit.FetchSite.none
        case "same-origin": .sameOrigin
        case "same-site": .sameSite
        case "cross-site": .crossSite
        default: .other
        }
    }

    static func isDocumentNavigation(_ headers: HTTPFields) -> Bool {
        headers.values(of: .secFetchMode) == ["navigate"] && headers.values(of: .secFetchDest) == ["document"]
    }

    /// Whether somebody visits: neither a browser that looks ahead, nor a page that loads this as a picture.
    static func isVisit(_ headers: HTTPFields) -> Bool {
        !PrefetchSignal.isPresent(in: headers) && (site(headers) == nil || isDocumentNavigation(headers))
    }

    /// Whether the visitors came by themselves, and no foreign page led them here.
    static func isOwnVisit(_ headers: HTTPFields) -> Bool {
        let site = site(headers)
        return isVisit(headers) && site != .crossSite && site != .other
    }

    /// `null` is foreign: a sandboxed frame sends it too.
    static func origin(_ headers: HTTPFields, own: WebOrigin) -> Visit.OriginHeader {
        let values = headers.values(of: .origin)
        guard !values.isEmpty else { return .absent }
        return values == [own.description] ? .own : .foreign
    }
}

extension HTTPField.Name {
    static let secFetchSite = literal("Sec-Fetch-Site")
    static let secFetchMode = literal("Sec-Fetch-Mode")
    static let secFetchDest = literal("Sec-Fetch-Dest")
}
