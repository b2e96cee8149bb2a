package drawbridge.client;

/** What all ways in and out have in common: one of each for an app at its provider. */
final class Core {
    final Settings settings;
    final Address issuer;
    final Items items;
    final OwnItem ownItem;
    final SharedItem sharedItem;
    final PlacedCookies placed;
    final Proofs proofs;
    final Failures failures;
    final Transport transport;
    final Provider provider;
    final TokenEndpoint tokens;
    final IdTokenCheck idTokens;
    final Revocation revocation;
    final Beginning beginning;
    final Renewal renewal;

    Core(Settings given) throws DrawbridgeException {
        // One state for all threads, whatever the app does with its own.
        settings = given.copy();
        issuer = settings.checked();
        items = new Items(settings, issuer);
        ownItem = new OwnItem(settings, items);
        sharedItem = new SharedItem(settings, items);
        placed = new PlacedCookies(settings, items);
        proofs = new Proofs(settings, items);
        failures = new Failures(settings, issuer);
        transport = new Transport(settings, proofs);
        provider = new Provider(issuer, transport, failures);
        tokens = new TokenEndpoint(settings, transport, provider, failures);
        idTokens = new IdTokenCheck(settings, issuer, provider);
        revocation = new Revocation(settings, transport, provider, failures);
        beginning = new Beginning(items, ownItem, sharedItem, revocation);
        renewal = new Renewal(this);
    }
}
