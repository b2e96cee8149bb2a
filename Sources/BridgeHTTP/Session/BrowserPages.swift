import Bridge

/// What every route for browsers shares: whose browser it is, what its pages look like, and what their forms must bring
/// back.
struct BrowserPages: Sendable {
    let browsers: BrowserSessions
    let browserSignOut: BrowserSignOut
    let clients: Reloadable<ClientDirectory>
    let formTokens: FormTokens
    let pages: Pages
    let origins: OriginReader
    let time: TimeSource
    let random: RandomSource
}

/// Routes for browsers.
protocol BrowserGroup: RouteGroup {
    var kit: BrowserPages { get }
}

extension BrowserGroup {
    var browsers: BrowserSessions { kit.browsers }
    var browserSignOut: BrowserSignOut { kit.browserSignOut }
    var clients: Reloadable<ClientDirectory> { kit.clients }
    var formTokens: FormTokens { kit.formTokens }
    var pages: Pages { kit.pages }
    var origins: OriginReader { kit.origins }
    var issuer: WebOrigin { kit.origins.configured.issuer }
    var time: TimeSource { kit.time }
    var random: RandomSource { kit.random }
}
