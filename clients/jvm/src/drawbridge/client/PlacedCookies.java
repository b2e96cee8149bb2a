package drawbridge.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Where the web view got cookies, so that the sign-out can take them out again. */
final class PlacedCookies {
    private final Settings settings;
    private final Items items;

    PlacedCookies(Settings settings, Items items) {
        this.settings = settings;
        this.items = items;
    }

    void remember(List<WebViewCookie> cookies) throws DrawbridgeException {
        List<Object> places = new ArrayList<>();
        for (WebViewCookie cookie : cookies) {
            places.add(Arrays.asList(cookie.name, cookie.domain, cookie.path, cookie.url));
        }
        for (List<?> old : all()) {
            boolean isKnown = false;
            for (Object place : places) {
                List<?> own = (List<?>) place;
                isKnown = isKnown || own.subList(0, 3).equals(old.subList(0, 3))
                    && Address.origin((String) own.get(3)).equals(Address.origin(String.valueOf(old.get(3))));
            }
            if (!isKnown) {
                places.add(0, old);
            }
        }
        items.write(items.cookies(), Json.write(places));
    }

    private List<List<?>> all() throws DrawbridgeException {
        String kept = items.read(items.cookies());
        List<List<?>> found = new ArrayList<>();
        try {
            Object list = kept == null ? null : Json.read(kept);
            for (Object place : list instanceof List ? (List<?>) list : Collections.emptyList()) {
                if (place instanceof List && ((List<?>) place).size() == 4) {
                    found.add((List<?>) place);
                }
            }
        } catch (Json.Malformed none) {
            found.clear();
        }
        return found;
    }

    void clear() throws DrawbridgeException {
        List<List<?>> placed;
        try {
            placed = all();
        } catch (DrawbridgeException unreadable) {
            // A list that stayed so would fail every sign-out to come.
            Step.tried(unreadable, () -> items.remove(items.cookies()));
            throw unreadable;
        }
        // Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if (settings.webView == null || placed.isEmpty()) {
            return;
        }
        DrawbridgeException stays = null;
        for (List<?> place : placed) {
            stays = Step.tried(stays, () -> AppPart.stores(() -> {
                settings.webView.removeCookie((String) place.get(0), (String) place.get(1), (String) place.get(2),
                    (String) place.get(3));
                return null;
            }));
        }
        if (stays != null) {
            throw stays;
        }
        items.remove(items.cookies());
    }
}
