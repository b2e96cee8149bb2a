package drawbridge.client;

/** What the apps of one maker share on one device. */
final class SharedSignIn {
    String deviceSecret;
    String idToken;
    IdToken parts;
}
