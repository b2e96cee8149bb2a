package drawbridge.client;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an answer that is no success comes to. */
final class Failures {
    private final Settings settings;
    private final Address issuer;

    Failures(Settings settings, Address issuer) {
        this.settings = settings;
        this.issuer = issuer;
    }

    DrawbridgeException of(Http answer, String what) {
        Map<String, Object> body = Values.object(answer.text);
        Object said = body.get("request_id");
        // Every answer has it in its header, a refusal's body besides (contract §11).
        String requestId = Http.isRequestId(said) ? (String) said : answer.requestId();
        String page = page(body.get("error_uri"));
        if (Arrays.asList(429, 502, 503, 504).contains(answer.status)) {
            Long seconds = wait(answer.headers.get("retry-after"));
            return new DrawbridgeException("come_back_later", null, null, seconds, requestId, page);
        }
        if (answer.status >= 400 && answer.status < 500) {
            String challenge = challenge(answer);
            String error = Values.isText(body.get("error")) ? (String) body.get("error")
                : challenge == null && answer.status == 401 ? "invalid_token" : challenge;
            if (error != null) {
                Object description = Values.isText(body.get("error")) ? body.get("error_description") : null;
                // How strong and how fresh a sign-in would do (RFC 9470 §3).
                String levels = challenge(answer, "acr_values", 1024);
                String age = challenge(answer, "max_age", 9);
                return DrawbridgeException.refused(error, description, requestId, page,
                    levels == null || levels.trim().isEmpty() ? null : Arrays.asList(levels.trim().split(" +")),
                    age != null && age.matches("[0-9]+") ? Long.valueOf(age) : null);
            }
        }
        return new DrawbridgeException("unexpected_answer", what + " answered " + answer.status, null, null, requestId, page);
    }

    /**
     * Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
     * (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11).
     */
    static boolean isLost(Http answer) {
        return answer.status == 502 || answer.status == 504
            || answer.status == 503 && !"temporarily_unavailable".equals(Values.object(answer.text).get("error"));
    }

    static DrawbridgeException unexpected(Http answer, String what) {
        return new DrawbridgeException("unexpected_answer", what, null, null, answer.requestId(), null);
    }

    static String challenge(Http answer) {
        return challenge(answer, "error", 64);
    }

    /** What {@code WWW-Authenticate} says under this name, or null. */
    private static String challenge(Http answer, String name, int longest) {
        Matcher said = Pattern.compile("\\b" + name + "=\"([^\"]{1," + longest + "})\"")
            .matcher(answer.headers.getOrDefault("www-authenticate", ""));
        return said.find() ? said.group(1) : null;
    }

    /** A page of the provider itself, for people to open; null for any other address. */
    private String page(Object text) {
        Address page = Address.of(text);
        boolean isOurs = page != null && page.host.equals(issuer.host) && (issuer.isLoopback || !page.isLoopback);
        return isOurs ? page.text : null;
    }

    /** Seconds of Retry-After, which is a number or a date (RFC 9110 §10.2.3). */
    private Long wait(String text) {
        if (text == null) {
            return null;
        }
        if (text.matches("[0-9]{1,9}")) {
            return Long.valueOf(text);
        }
        try {
            long date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli();
            return Math.max(0, (long) Math.ceil((date - settings.now.getAsLong()) / 1000.0));
        } catch (DateTimeParseException not) {
            return null;
        }
    }
}
