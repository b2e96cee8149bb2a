package drawbridge.site;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.LongSupplier;

/** What Drawbridge tells the website's server: each is handled once. */
final class Notices {
    /** Seconds: a notice is tried for a day. */
    private static final long NOTICE_MEMORY = 2 * 86400;
    /** Seconds for which a handler may take; a process that dies over a notice is waited for no longer. */
    private static final long LONGEST_HANDLER = 300;

    private final Settings settings;
    private final LongSupplier now;
    private final LogoutTokens logoutTokens;
    private final EndedSessions ended;
    private final Memory notices;

    Notices(Settings settings, LongSupplier now, LogoutTokens logoutTokens, EndedSessions ended, Memory notices) {
        this.settings = settings;
        this.now = now;
        this.logoutTokens = logoutTokens;
        this.ended = ended;
        this.notices = notices;
    }

    /** A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again. */
    Answer webhook(byte[] body, String signature, Site.Handler handler) throws Exception {
        Settings.require(!settings.webhookSecrets.isEmpty(), "webhooks need webhookSecrets");
        long time = now.getAsLong();
        Map<String, Object> event;
        try {
            event = SignedNotices.event(settings, body, signature == null ? "" : signature, time);
        } catch (Refused refusal) {
            return Answer.said(400, refusal.getMessage());
        }
        Object session = ((String) event.get("type")).endsWith("session.ended") ? event.get("sid") : null;
        return once((String) event.get("id"), time + NOTICE_MEMORY, session, event, handler, time);
    }

    /** OpenID Connect Back-Channel Logout 1.0, §2.6. {@code form} is the body of the POST. */
    Answer backchannelLogout(byte[] form, Site.Handler handler) throws Exception {
        Settings.require(settings.issuer != null && settings.clientId != null, "logout tokens need issuer and clientId");
        long time = now.getAsLong();
        Map<String, Object> claims;
        try {
            claims = logoutTokens.claims(new String(form, StandardCharsets.ISO_8859_1), time);
        } catch (Refused refusal) {
            // A 4xx settles it; after a 5xx it comes again.
            return Answer.said(refusal.isFinal ? 400 : 503, refusal.getMessage());
        } catch (Unavailable away) {
            return Answer.away();
        }
        long until = (Long) claims.get("exp") + settings.leeway;
        return once("logout:" + claims.get("jti"), until, claims.get("sid"), claims, handler, time);
    }

    private Answer once(String name, long until, Object session, Map<String, Object> notice, Site.Handler handler, long time)
        throws Exception {
        // Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet.
        if (notices.has(name, time)) {
            return Answer.said(200, "known");
        }
        if (Texts.isText(session) && !ended.add((String) session, time)) {
            return Answer.said(503, "full");
        }
        String inHand = "in hand " + name;
        // Full, it cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
        if (notices.add(inHand, time + LONGEST_HANDLER, time).equals("known")) {
            return Answer.said(503, "in_hand");
        }
        try {
            // Handled between the two looks above.
            if (notices.has(name, time)) {
                return Answer.said(200, "known");
            }
            handler.handle(notice);
            if (notices.add(name, until, time).equals("full")) {
                // It takes the place of its being in hand.
                notices.forget(inHand);
                notices.add(name, until, time);
            }
        } finally {
            notices.forget(inHand);
        }
        return Answer.said(200, "handled");
    }
}
