#if canImport(SafariServices) && !os(macOS)
    public import SafariServices

    extension LoginLink {
        /// Safari within the app, on its way to the page: present it at once, the link works for a minute. It cannot send a
        /// header, so ask for the link with the carrier `.address`.
        @MainActor public func safari() -> SFSafariViewController { SFSafariViewController(url: url.expose()) }
    }
#endif
