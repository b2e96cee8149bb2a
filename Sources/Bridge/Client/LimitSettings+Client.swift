extension LimitSettings {
    /// A client that authenticates is counted by itself. A public client's id is known to everybody, so it is counted
    /// in each network by itself, by one key of the two together: nobody can shut its users out elsewhere.
    func clientKey(
        _ scope: String, _ client: Client, of origin: RequestOrigin, perClient: TokenBucket, perNetwork: TokenBucket
    ) -> RateLimitKey {
        guard client.isPublic else {
            return RateLimitKey(scope: "\(scope).client", value: client.id.rawValue, bucket: perClient)
        }
        return RateLimitKey(
            scope: "\(scope).network", value: "\(origin.networkName) \(client.id)", bucket: perNetwork)
    }
}
