package drawbridge.client;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every error of this library: {@link #code} is stable, the message says what is wrong and what to do; no secret is in it. */
public final class DrawbridgeException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Map<String, String> SENTENCES = new HashMap<>();
    private static final Map<String, String> ADVICE = new HashMap<>();
    private static final String OTHER_ADVICE = "look its code up on the provider's page /errors";

    static {
        SENTENCES.put("configuration", "The app's settings or the arguments of a call cannot work; "
                + "correct what is named here");
        SENTENCES.put("unreachable", "No whole answer came from the provider; check the network and ask again");
        SENTENCES.put("come_back_later", "The provider asks to come back later; wait before you ask again");
        SENTENCES.put("refused", "The provider refused the request");
        SENTENCES.put("unexpected_answer", "The answer is not one that this request can have; "
                + "check that the issuer is a Drawbridge");
        SENTENCES.put("provider.other_issuer", "The provider's description names another issuer; "
                + "set the issuer to what it calls itself");
        SENTENCES.put("provider.endpoint", "An endpoint in the provider's description is missing or not https; "
                + "mend the provider's configuration");
        SENTENCES.put("provider.no_pkce", "The provider does not know PKCE with S256, without which no app should sign in; "
                + "check that the issuer is a Drawbridge");
        SENTENCES.put("provider.malformed", "A document of the provider cannot be read; "
                + "check that the issuer is a Drawbridge");
        SENTENCES.put("answer.other_address", "The browser's answer came to another address than the redirect_uri; "
                + "drop it");
        SENTENCES.put("answer.malformed", "The browser's answer cannot be read or says something twice; "
                + "let the person sign in again");
        SENTENCES.put("answer.foreign_state", "The browser's answer does not belong to this sign-in and may be somebody else's; "
                + "drop it");
        SENTENCES.put("answer.other_issuer", "The browser's answer comes from another provider than the one that was asked; "
                + "drop it");
        SENTENCES.put("answer.no_code", "The browser's answer has no code, or a code and an error; "
                + "let the person sign in again");
        SENTENCES.put("id_token.missing", "The answer has no ID token; put openid into the app's scope");
        SENTENCES.put("id_token.malformed", "The ID token cannot be read as a JWT with the claims that every one has; "
                + "check that the issuer is a Drawbridge");
        SENTENCES.put("id_token.algorithm", "The ID token is not signed with ES256; "
                + "set id_token_signed_response_alg of the app to ES256");
        SENTENCES.put("id_token.unknown_key", "The ID token's key is not among those that the provider publishes; "
                + "check what the provider's jwks_uri serves");
        SENTENCES.put("id_token.signature", "The signature of the ID token does not fit, somebody may have changed it; "
                + "let the person sign in again");
        SENTENCES.put("id_token.issuer", "The ID token is of another provider than the one that was asked; "
                + "check the issuer");
        SENTENCES.put("id_token.audience", "The ID token is meant for another app; check the client_id");
        SENTENCES.put("id_token.expired", "The ID token has expired; check this device's clock");
        SENTENCES.put("id_token.issued_in_future", "The ID token is from the future; check this device's clock");
        SENTENCES.put("id_token.nonce", "The nonce of the ID token is of another sign-in; "
                + "let the person sign in again");
        SENTENCES.put("id_token.auth_time", "The ID token does not show that the person signed in as lately as maxAge wants; "
                + "let the person sign in again");
        SENTENCES.put("id_token.subject", "The answer is about somebody else than the person who is signed in; "
                + "let the person sign in again");
        SENTENCES.put("id_token.access_token_hash", "The ID token belongs to another access token (at_hash), so the answer was put together; "
                + "let the person sign in again");
        SENTENCES.put("id_token.device_secret_hash", "The ID token belongs to another device secret (ds_hash), so the answer was put together; "
                + "let the person sign in again");
        SENTENCES.put("not_signed_in", "Nobody is signed in in this app; let the person sign in first");
        SENTENCES.put("secret_store", "The place for secrets does not work; see what the store reports");
        SENTENCES.put("signed_out_here_only", "Signed out on this device, but the provider could not be told and its sessions run on; "
                + "tell the person, who can end them on the account page");
        SENTENCES.put("cancelled", "The person closed the browser or said no; "
                + "show no error, and offer the sign-in again");
        SENTENCES.put("timed_out", "No answer came in time from the person who should sign in; "
                + "offer the sign-in again");
        ADVICE.put("invalid_token", "the bearer is expired, revoked or not of a trusted issuer: get a fresh one");
        ADVICE.put("invalid_redirect", "the page is not open to links: add the path to the website's return_paths");
        ADVICE.put("invalid_target", "there is no such website: check the website's client_id");
        ADVICE.put("unauthorized_client", "this app may not do that: see can_issue_login_tokens and may_reach of the app");
        ADVICE.put("invalid_grant", "the grant is used up or ended: let the person sign in again");
        ADVICE.put("invalid_scope", "ask for no more than the app is registered for");
        ADVICE.put("invalid_client", "check the client_id");
        ADVICE.put("access_denied", "the app or the person may not: see who may, in the app's registration and the provider's log");
        ADVICE.put("login_required", "let the person sign in again");
        ADVICE.put("insufficient_user_authentication", "let the person sign in again, with the acr_values and max_age that it names");
    }

    /** The stable name of the error. */
    public final String code;
    /** The OAuth error of the provider, for {@code refused}; else null. */
    public final String oauth;
    /** How long to wait, for {@code come_back_later}; null when the provider did not say. */
    public final Long seconds;
    /** To find the request in the provider's log; null when no answer came that has one. */
    public final String requestId;
    /** A page of the provider that explains the error; null when it named none. */
    public final String page;
    /** What a sign-in has to be like, of a refusal that says so; else null. For {@link Drawbridge.Wishes}. */
    public final transient List<String> acrValues;
    /** In seconds. */
    public final Long maxAge;

    public DrawbridgeException(String code) {
        this(code, null);
    }

    /** For browsers and their like; {@code detail} holds no secret. */
    public DrawbridgeException(String code, String detail) {
        this(code, detail, null, null, null, null);
    }

    DrawbridgeException(String code, String detail, String oauth, Long seconds, String requestId, String page) {
        this(code, detail, oauth, seconds, requestId, page, null, null);
    }

    private DrawbridgeException(String code, String detail, String oauth, Long seconds, String requestId, String page,
        List<String> acrValues, Long maxAge) {
        super(text(code, detail == null && seconds != null ? seconds + " s" : detail, oauth));
        this.code = code;
        this.oauth = oauth;
        this.seconds = seconds;
        this.requestId = requestId;
        this.page = page;
        this.acrValues = acrValues == null ? null : Collections.unmodifiableList(acrValues);
        this.maxAge = maxAge;
    }

    private static String text(String code, String detail, String oauth) {
        StringBuilder text = new StringBuilder(SENTENCES.getOrDefault(code, code));
        if (detail != null) {
            // Without control characters: a terminal would obey them.
            String plain = detail.replaceAll("[\\x00-\\x1f\\x7f-\\x9f]", "?");
            text.append(": ").append(plain, 0, Math.min(300, plain.length()));
        }
        if (code.equals("refused")) {
            text.append(": ").append(ADVICE.getOrDefault(oauth, OTHER_ADVICE));
        }
        return text.toString();
    }

    /** The grant, secret or session that was relied on is gone: sign in again. */
    public boolean endsSignIn() {
        return code.equals("refused") && ("invalid_grant".equals(oauth) || "invalid_token".equals(oauth));
    }

    static DrawbridgeException refused(String error, Object description, String requestId, String page, List<String> acrValues,
        Long maxAge) {
        boolean said = description instanceof String && !((String) description).isEmpty();
        return new DrawbridgeException("refused", said ? error + " (" + description + ")" : error, error, null, requestId, page,
            acrValues, maxAge);
    }

    /** What the app has set or asked for cannot work. */
    static DrawbridgeException wrong(String text) {
        return new DrawbridgeException("configuration", text);
    }
}
