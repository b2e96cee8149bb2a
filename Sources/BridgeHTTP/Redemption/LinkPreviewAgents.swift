/// User agents that fetch links to show a preview or to inspect them, not because a person opened them.
///
/// Only agents that name themselves can be on such a list; those that pose as browsers are met by the confirm page.
/// Each entry is matched in lower case anywhere in `User-Agent`.
enum LinkPreviewAgents {
    static let markers: [String] = [
        // Messengers and social networks.
        "facebookexternalhit", "facebot", "meta-externalagent", "meta-externalfetcher", "whatsapp/", "twitterbot",
        "telegrambot", "discordbot", "slackbot", "slack-imgproxy", "linkedinbot", "skypeuripreview", "viber/",
        "redditbot", "pinterestbot", "pinterest/0.", "mastodon/", "pleroma", "misskey/", "bluesky cardyb", "cardyb",
        "line-poker", "kakaotalk-scrap", "vkshare", "tumblr/", "flipboardproxy", "snap url preview", "zoombot",
        "iframely", "embedly", "opengraph", "rocket.chat", "mattermost-bot", "synapse (bot", "signal-desktop-preview",
        // Office suites and mail security.
        "microsoftpreview", "ms-teams-preview", "teamsbot", "outlook-safelinks", "safelinks", "microsoft office",
        "ms-office", "barracuda", "mimecast", "proofpoint", "google-safety", "googleimageproxy", "yahoomailproxy",
        "google-read-aloud", "google-inspectiontool", "feedfetcher-google", "googleother",
        // Search engines and archives.
        "googlebot", "bingbot", "bingpreview", "applebot", "duckduckbot", "yandexbot", "yandeximages", "baiduspider",
        "petalbot", "archive.org_bot", "ia_archiver", "ahrefsbot", "semrushbot", "bytespider", "gptbot",
        "chatgpt-user", "oai-searchbot", "claudebot", "claude-user", "perplexitybot", "ccbot", "amazonbot",
        // Scanners and monitors.
        "urlscan", "virustotal", "censysinspect", "uptimerobot", "pingdom", "statuscake", "headlesschrome-preview",
        "w3c_validator", "lighthouse", "pagespeed",
    ]

    static func matches(_ userAgent: String) -> Bool {
        let agent = Array(userAgent.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.prefix(1024))
        return needles.contains { agent.firstRange(of: $0) != nil }
    }

    private static let needles = markers.map { Array($0.utf8) }
}
