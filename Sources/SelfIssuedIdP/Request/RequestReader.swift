/// Reads a request and checks everything about it that does not need its owner: a pure function of the link, the file
/// and the certificate.
struct RequestReader {
    let link: AuthorizationLink
    /// The request itself: the file's, or the link's.
    let request: RequestParameters
    let proof: SelfIssuedRequest.Proof
    /// What the owner wishes; `nil` follows the request.
    let form: AnswerForm?
    /// Whether the link was read from another device's screen.
    let isFromOtherDevice: Bool

    func read() throws(PhoneRefusal) -> SelfIssuedRequest {
        try checkAgreement()
        let clientID = try clientID()
        let returnAddress = try returnAddress(of: clientID)
        let types = try responseTypes()
        let scope = try request.words("scope")
        guard scope.contains("openid") else {
            throw PhoneRefusal(.scopeInvalid, "the scope has no openid: this is no sign-in")
        }
        let asked = try AnswerForm(asked: types, subjectTypes: subjectTypes())
        return SelfIssuedRequest(
            clientID: clientID, returnAddress: returnAddress, proof: proof,
            delivery: try delivery(of: clientID, returnAddress), form: form ?? asked,
            claims: try RequestedClaim.read(from: request, scope: scope), introduction: introduction(of: clientID),
            nonce: try nonce(), state: try state(), algorithm: try algorithm())
    }

    /// What link and file both say they say alike: or who wrote the link would change what the website asked.
    private func checkAgreement() throws(PhoneRefusal) {
        guard link.requestAddress != nil else { return }
        for (name, value) in link.parameters where name != "request_uri" {
            if let said = try? request.text(name), said != value {
                throw PhoneRefusal(.parameterConflict, "the link and the website's request differ in \(name)")
            }
        }
    }

    private func clientID() throws(PhoneRefusal) -> WebAddress {
        guard let text = try request.text("client_id"), let address = WebAddress(text) else {
            throw PhoneRefusal(.clientIDInvalid, "client_id must be a plain https address")
        }
        return address
    }

    /// Where to answer, by the website's own words alone: never from the link when there is a file, and where there is
    /// none at the `client_id`.
    private func returnAddress(of clientID: WebAddress) throws(PhoneRefusal) -> WebAddress {
        let listed = request.registered("redirect_uris")?.words ?? []
        let named = try request.text("redirect_uri")
        guard proof == .certificate else {
            try checkLink(names: listed + [named].compactMap(\.self), beside: clientID)
            return clientID
        }
        if let named, !listed.isEmpty, !listed.contains(named) {
            throw PhoneRefusal(.returnURIForeign, "redirect_uri is not one of the website's redirect_uris")
        }
        let text: String
        if let named {
            text = named
        } else if listed.count == 1 {
            text = listed[0]
        } else if listed.isEmpty, try responseTypes() == ["id_token"] {
            // In Core §7.2 and in SIOPv2 the client_id is the return address.
            text = clientID.text
        } else {
            throw PhoneRefusal(.returnURIMissing, "the website does not say where the answer goes")
        }
        guard let address = WebAddress(text) else {
            throw PhoneRefusal(
                .returnURIInvalid, "the return address must be a plain https address without a fragment: \(text)")
        }
        guard address.website == clientID.website else {
            throw PhoneRefusal(
                .returnURIForeign, "the answer would go to \(address.website.name), not to \(clientID.website.name)")
        }
        return address
    }

    /// In Core §7.2 and in SIOPv2 the `client_id` of a website that was not asked is its return address: a link that
    /// holds the request names no other.
    ///
    /// One of the same website would not do. The token is good at the `client_id`; by a path of their own choice the
    /// link's author would decide who else reads it, since browsers carry a fragment across redirects (RFC 9110
    /// §10.2.2), and any redirector of the website's would hand it on.
    private func checkLink(names addresses: [String], beside clientID: WebAddress) throws(PhoneRefusal) {
        guard addresses.allSatisfy({ $0.utf8.elementsEqual(clientID.text.utf8) }) else {
            throw PhoneRefusal(
                .returnURIForeign,
                "the link leads the answer to another address than its client_id; where the request is in the link, "
                    + "they must be the same")
        }
    }

    private func responseTypes() throws(PhoneRefusal) -> Set<String> {
        let types = try request.words("response_type")
        guard types == ["id_token"] || types == ["token", "id_token", "userinfo"] else {
            throw PhoneRefusal(
                .responseTypeUnsupported, "response_type must be \"id_token\" or \"token id_token userinfo\"")
        }
        return types
    }

    private func subjectTypes() throws(PhoneRefusal) -> [String]? {
        guard let value = request.registered("subject_syntax_types_supported") else { return nil }
        guard let types = value.words else {
            throw PhoneRefusal(.requestMalformed, "subject_syntax_types_supported is no list")
        }
        return types
    }

    private func delivery(
        of clientID: WebAddress, _ returnAddress: WebAddress
    ) throws(PhoneRefusal) -> SelfIssuedRequest.Delivery {
        let named = try request.text("response_uri")
        let usual = isFromOtherDevice && named != nil ? "direct_post" : "fragment"
        let mode = try request.text("response_mode")
        switch link.parameters["response_mode"] ?? mode ?? usual {
        case "fragment" where isFromOtherDevice:
            throw PhoneRefusal(
                .responseModeUnsupported, "this website answers only on the device that shows the link: open it there")
        case "fragment": return .browser
        // SIOPv2's own example says `post`.
        case "direct_post", "post":
            // Not by the link alone: anyone who changed it would be signed in, in a browser of their own, at a website
            // that knows answers on its visitor's device only. For a request in the link there is nothing else to go
            // by.
            guard named != nil || mode != nil || proof == .returnAddressAlone else {
                throw PhoneRefusal(
                    .responseModeUnsupported, "the link wants the answer posted, and the website's request does not")
            }
            guard let address = WebAddress(named ?? returnAddress.text) else {
                throw PhoneRefusal(.returnURIInvalid, "response_uri must be a plain https address")
            }
            if proof == .returnAddressAlone { try checkLink(names: [address.text], beside: clientID) }
            guard address.website == clientID.website else {
                throw PhoneRefusal(
                    .returnURIForeign,
                    "the answer would go to \(address.website.name), not to \(clientID.website.name)")
            }
            return .post(address)
        case let other:
            throw PhoneRefusal(.responseModeUnsupported, "response_mode \(other) is neither fragment nor direct_post")
        }
    }

    private func nonce() throws(PhoneRefusal) -> String {
        let own = try request.text("nonce")
        guard let nonce = link.parameters["nonce"] ?? own, !nonce.isEmpty else {
            throw PhoneRefusal(.nonceMissing, "without a nonce an answer could be used twice")
        }
        guard RequestLimits.nonce.contains(nonce.utf8.count) else {
            throw PhoneRefusal(.nonceLength, "a nonce has 8 to 256 characters")
        }
        return nonce
    }

    private func state() throws(PhoneRefusal) -> String? {
        let own = try request.text("state")
        let state = link.parameters["state"] ?? own
        guard state?.utf8.count ?? 0 <= 1024 else {
            throw PhoneRefusal(.stateTooLong, "a state has at most 1024 characters")
        }
        return state
    }

    private func algorithm() throws(PhoneRefusal) -> KeyAlgorithm? {
        guard let named = request.registered("id_token_signed_response_alg") else { return nil }
        guard let algorithm = named.string.flatMap(KeyAlgorithm.init) else {
            throw PhoneRefusal(
                .algorithmUnsupported, "the website takes \(named.text) alone; this phone signs ES256 and RS256")
        }
        return algorithm
    }

    private func introduction(of clientID: WebAddress) -> SelfIssuedRequest.Introduction {
        func own(_ value: JSONValue?) -> WebAddress? {
            value?.string.flatMap(WebAddress.init).flatMap { $0.host == clientID.host ? $0 : nil }
        }
        return SelfIssuedRequest.Introduction(
            name: request.registered("client_name", "application_name")?.string,
            logo: own(request.registered("logo_uri", "logo_url")),
            policy: own(request.registered("policy_uri", "policy_url")),
            contacts: request.registered("contacts")?.words ?? [])
    }
}
