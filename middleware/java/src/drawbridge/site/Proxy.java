package drawbridge.site;

import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Who is signed in by the word of a proxy that asked /auth/check. */
final class Proxy {
    private static final String FIELD = "x-drawbridge-proxy";

    private final Settings settings;
    private final List<Object[]> networks;
    private final EndedSessions ended;

    /** @param networks those of {@link Settings#proxyAddresses} */
    Proxy(Settings settings, List<Object[]> networks, EndedSessions ended) {
        this.settings = settings;
        this.networks = networks;
        this.ended = ended;
    }

    User user(Request request) throws Refused {
        for (String[] pair : request.headers) {
            // CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
            String usual = pair[0].toLowerCase(Locale.ROOT).replace('_', '-');
            if (pair[0].contains("_") && (usual.startsWith("x-auth-") || usual.startsWith(FIELD))) {
                throw new Refused("underscore");
            }
        }
        if (!settings.proxyAddresses.isEmpty() && request.peerIsClaimed) {
            throw new Refused("claimed_address");
        }
        if (!isFromProxy(request)) {
            throw new Refused("not_from_proxy");
        }
        String subject = Fields.text(request, "X-Auth-Subject");
        String session = Fields.text(request, "X-Auth-Session");
        String acr = Fields.text(request, "X-Auth-Acr");
        if (subject == null) {
            throw new Refused("missing");
        }
        // The proxy asked about the website that this names, and visitors choose it.
        List<String> hosts = request.values("Host");
        if (hosts.isEmpty() || !hosts.stream().allMatch(hosts.get(0)::equalsIgnoreCase) || !settings.isOwnHost(hosts.get(0))) {
            throw new Refused("host");
        }
        if (session == null) {
            throw new Refused("malformed");
        }
        ended.refuse(session);
        return new User(subject, session, acr, Collections.emptyList(), null, Fields.identity(settings, request));
    }

    private boolean isFromProxy(Request request) {
        boolean holds = true;
        if (settings.proxySecret != null) {
            List<String> said = request.values(FIELD);
            holds = said.size() == 1 && Texts.same(said.get(0), settings.proxySecret);
        }
        if (!settings.proxyAddresses.isEmpty()) {
            // Some containers write an address of IPv6 in brackets.
            byte[] peer = Settings.packed(request.peer == null ? "" : request.peer.replaceFirst("^\\[(.*)\\]$", "$1"));
            boolean found = false;
            for (Object[] network : networks) {
                found = found || peer != null && isWithin(peer, (byte[]) network[0], (int) network[1]);
            }
            holds = holds && found;
        }
        return holds;
    }

    private static boolean isWithin(byte[] peer, byte[] network, int bits) {
        if (peer.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            if (((peer[bit / 8] ^ network[bit / 8]) >> (7 - bit % 8) & 1) != 0) {
                return false;
            }
        }
        return true;
    }
}
