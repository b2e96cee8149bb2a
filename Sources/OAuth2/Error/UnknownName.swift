extension OAuthError {
    /// `invalid_request` for a parameter or member that is not read.
    ///
    /// It is named, so that a typo is found; but only when it can be a name. Anything longer or stranger may
    /// be a secret in the wrong place, and would be repeated wherever errors are shown.
    /// - Parameters:
    ///   - name: as it came.
    ///   - what: what it is not, such as `parameter of this address`.
    ///   - known: the names that are read.
    package static func unknown(_ name: String, as what: String, known: some Sequence<String>) -> OAuthError {
        let shown = isPlain(name) ? "\"\(name)\"" : "one of the names"
        let list = known.sorted().joined(separator: ", ")
        let problem = "\(shown) is not a \(what)" + (list.isEmpty ? "; there is none" : "; known: \(list)")
        return OAuthError(.invalidRequest, problem)
    }

    /// Whether a text can be a parameter's or a member's name, and so may be shown (ADR-0083).
    package static func isPlain(_ name: String) -> Bool {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy(ASCII.isNameByte)
    }
}
