extension LimitSettings {
    /// A client that authenticates is counted by itself. A public client's id is known to everyone, so it is counted in
    /// each network by itself, by keys of the two together: no one can shut its users out elsewhere. Wider networks
    /// count as in ``widerNetworkKeys(_:of:_:)``.
    func clientKeys(
        _ scope: String, _ client: Client, of origin: RequestOrigin, perClient: TokenBucket, perNetwork: TokenBucket
    ) -> [RateLimitKey] {
        guard client.isPublic else {
            return [RateLimitKey(scope: "\(scope).client", value: client.id.rawValue, bucket: perClient)]
        }
        func key(_ network: String, _ bucket: TokenBucket) -> RateLimitKey {
            RateLimitKey(scope: "\(scope).network", value: "\(network) \(client.id)", bucket: bucket)
        }
        let wider = (origin.address?.widerNetworks ?? []).map { network, factor in
            key(network.description, perNetwork.multiplied(by: factor))
        }
        return [key(origin.networkName, perNetwork)] + wider
    }
}
