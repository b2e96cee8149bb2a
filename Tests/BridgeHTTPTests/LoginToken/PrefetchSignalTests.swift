import HTTPTypes
import Testing

@testable import BridgeHTTP

@Suite struct PrefetchSignalTests {
    static let previewers = [
        "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "WhatsApp/2.23.20.0",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "TelegramBot (like TwitterBot)",
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
        "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (Applebot/0.1)",
        "Iframely/1.3.1 (+https://iframely.com/docs/about)",
        "Mozilla/5.0 (compatible; Yahoo Link Preview)", "bitlybot/3.0 (+http://bit.ly/)",
        "Mozilla/5.0 (compatible; Microsoft-URL-Preview/1.0)", "Mozilla/5.0 (compatible; snapchat URL Preview)",
        "Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots",
        "OneOutlook/1.2024.1219.100",
    ]

    @Test(arguments: previewers)
    func `a link preview's user agent is known`(agent: String) {
        #expect(PrefetchSignal.isPresent(in: [.userAgent: agent]))
    }

    static let people = [
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
        "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36",
        "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/450.0]", "",
        "Mozilla/5.0 (Linux; Android 14; wv) Chrome/140 Mobile Safari/537.36 Instagram 300.0",
    ]

    @Test(arguments: people)
    func `a person's browser is not taken for one`(agent: String) {
        #expect(!PrefetchSignal.isPresent(in: [.userAgent: agent]))
    }

    @Test func `every marker is in lower case, or it would never match`() {
        for marker in LinkPreviewAgents.markers { #expect(marker == marker.lowercased()) }
    }
}
