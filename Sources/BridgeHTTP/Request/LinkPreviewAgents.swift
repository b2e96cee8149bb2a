import OAuth2

/// User agents that fetch links to show a preview or to inspect them, not because a person opened them.
///
/// Only agents that name themselves can be on such a list; those that pose as browsers are met by the confirm page.
/// Each entry is matched in lower case.
enum LinkPreviewAgents {
    /// Words that are found anywhere in `User-Agent`.
    static let markers: [String] = [
        // Messengers and social networks.
        "facebookexternalhit", "facebot", "meta-externalagent", "meta-externalfetcher", "whatsapp/", "twitterbot",
        "telegrambot", "discordbot", "slackbot", "slack-imgproxy", "slack-linkexpanding", "linkedinbot",
        "skypeuripreview", "viber/", "linkpreview", "previewbot", "zulipurlpreview", "dingtalkbot", "larkurl2png",
        "revoltchat/january", "tiktokspider", "odklbot", "mail.ru_bot", "xing-contenttabreceiver", "lemmy/", "akkoma",
        "friendica", "pixelfed/", "peertube/", "gotosocial/", "summalybot", "discourse forum onebox", "xenforo/",
        "redditbot", "pinterestbot", "pinterest/0.", "mastodon/", "pleroma", "misskey/", "bluesky cardyb", "cardyb",
        "line-poker", "kakaotalk-scrap", "vkshare", "tumblr/", "flipboardproxy", "link preview", "url preview",
        "url-preview", "bitlybot", "zoombot", "iframely", "embedly", "opengraph", "rocket.chat",
        "mattermost-bot", "synapse (bot", "signal-desktop-preview", "web/snippet/", "google-pagerenderer",
        // Office suites and mail security.
        "nextcloud server crawler", "notionembedder", "websitemetadataretriever",
        "microsoftpreview", "ms-teams-preview", "teamsbot", "oneoutlook", "outlook-safelinks", "safelinks",
        "microsoft office", "ms-office", "barracuda", "mimecast", "proofpoint", "google-safety", "googleimageproxy",
        "yahoomailproxy", "google-read-aloud", "google-inspectiontool", "feedfetcher-google", "googleother",
        // Search engines and archives.
        "googlebot", "bingbot", "bingpreview", "applebot", "duckduckbot", "yandexbot", "yandeximages", "baiduspider",
        "petalbot", "archive.org_bot", "ia_archiver", "ahrefsbot", "semrushbot", "bytespider", "gptbot",
        "chatgpt-user", "oai-searchbot", "claudebot", "claude-user", "perplexitybot", "ccbot", "amazonbot",
        // Scanners and monitors.
        "urlscan", "virustotal", "censysinspect", "uptimerobot", "pingdom", "statuscake", "headlesschrome-preview",
        "w3c_validator", "lighthouse", "pagespeed",
    ]

    /// Agents that consist of one word, which within a longer one may be a browser's.
    static let wholeAgents: [String] = ["whatsapp"]

    /// One pass over the agent, because every redemption asks: at each place only the markers that begin with the two
    /// bytes there are compared.
    static func matches(_ userAgent: String) -> Bool {
        let agent = userAgent.utf8.prefix(maximumLength).map(lowercased)
        if wholeAgents.contains(where: { agent.elementsEqual($0.utf8) }) { return true }
        for start in agent.indices.dropLast() {
            for marker in beginnings[slot(agent[start], agent[start + 1])]
            where agent.count - start >= marker.count && agent[start..<start + marker.count].elementsEqual(marker) {
                return true
            }
        }
        return false
    }

    private static let maximumLength = 1024

    /// The markers by their first two bytes; most places have none.
    private static let beginnings: [[[UInt8]]] = {
        var table = [[[UInt8]]](repeating: [], count: 1 << 14)
        for marker in markers {
            let bytes = Array(marker.utf8)
            table[slot(bytes[0], bytes[1])].append(bytes)
        }
        return table
    }()

    private static func slot(_ first: UInt8, _ second: UInt8) -> Int { Int(first & 0x7F) << 7 | Int(second & 0x7F) }

    private static func lowercased(_ byte: UInt8) -> UInt8 { ASCII.isUppercase(byte) ? byte | 0x20 : byte }
}
