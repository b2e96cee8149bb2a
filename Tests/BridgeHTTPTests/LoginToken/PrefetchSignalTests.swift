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
        "OneOutlook/1.2024.1219.100", "WhatsApp",
        "Mozilla/5.0 (Windows NT 6.1) Firefox/6.0 Google (+https://developers.google.com/+/web/snippet/)",
        "Mozilla/5.0 (X11; Linux x86_64) Safari/537.36 Google-PageRenderer Google (+https://www.google.com)",
        "Slack-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Discourse Forum Onebox v3.2.0",
        "Nextcloud Server Crawler", "Lemmy/0.19.3; +https://lemmy.example", "ChatWork LinkPreview v1",
        "Mozilla/5.0 (compatible; Example LinkPreview/1.0)", "DropboxPreviewBot/1.0",
        "Mozilla/5.0 (compatible; ZulipURLPreview/9.0; +https://zulip.example)", "DingTalkBot-LinkService/1.0",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/80.0 Safari/537.36 LarkUrl2Png/1.0",
        "Mozilla/5.0 (compatible; January/1.0; +https://github.com/revoltchat/january)",
        "Mozilla/5.0 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)",
        "OdklBot/1.0 (share@odnoklassniki.ru)", "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0)",
        "XING-contenttabreceiver/2.0", "Akkoma 3.10.4; https://akkoma.example <admin@akkoma.example>",
        "Friendica 'Giant Rhubarb' 2024.12; https://friendica.example", "(Pixelfed/0.11.9; +https://pixelfed.example)",
        "PeerTube/6.0.0 (+https://peertube.example)", "gotosocial/0.13.0 (+https://gts.example)",
        "Mozilla/5.0 (compatible; SummalyBot/5.1.0)", "XenForo/2.x (https://forum.example)",
        "NotionEmbedder (https://www.notion.so)", "Asana/1.4.0 WebsiteMetadataRetriever",
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
        // Messengers' own browsers, whose name alone says nothing about a preview.
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/14.1.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 KAKAOTALK 10.4.5",
        "Mozilla/5.0 (Linux; Android 14; wv) Chrome/140.0 Mobile Safari/537.36 MicroMessenger/8.0.50 NetType/WIFI",
        "Mozilla/5.0 (Linux; Android 14; wv) Chrome/140.0 Mobile Safari/537.36 AliApp(DingTalk/7.6.0)",
        "Mozilla/5.0 (Linux; Android 14; wv) Chrome/140.0 Mobile Safari/537.36 Lark/7.20.6 LarkLocale/en_US",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile Snapchat/12.90.0.30",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile [Pinterest/iOS]",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Electron/38.0 Safari/537.36 Slack_SSB/4.46",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Teams/24.1 Notion/4.0 WhatsApp",
    ]

    @Test(arguments: people)
    func `a person's browser is not taken for one`(agent: String) {
        #expect(!PrefetchSignal.isPresent(in: [.userAgent: agent]))
    }

    @Test func `every marker is in lower case, or it would never match`() {
        for marker in LinkPreviewAgents.markers + LinkPreviewAgents.wholeAgents {
            #expect(marker == marker.lowercased())
        }
    }
}
