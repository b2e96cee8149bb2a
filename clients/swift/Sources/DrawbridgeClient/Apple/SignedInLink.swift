#if canImport(SwiftUI)
    public import SwiftUI
    import Foundation

    extension View {
        /// Opens a page of the website, signed in, in the system's browser whenever `path` is set; sets it back to `nil`.
        ///
        /// ```swift
        /// Button("My contacts") { page = "/contacts" }
        ///     .opensSignedIn($page, by: drawbridge) { problem = $0.localizedDescription }
        /// ```
        /// - Parameters:
        ///   - path: where to land; the provider checks it against the website's list.
        ///   - drawbridge: whose sign-in counts.
        ///   - failed: hears why no page was opened.
        ///   - bearer: gives the token of the app's own backend, where that is what the user is signed in with.
        public func opensSignedIn(
            _ path: Binding<String?>, by drawbridge: Drawbridge,
            failed: @escaping @MainActor @Sendable (ClientError) -> Void = { _ in },
            bearer: (@MainActor @Sendable () async -> Redacted<String>?)? = nil
        ) -> some View {
            modifier(SignedInLink(path: path, drawbridge: drawbridge, bearer: bearer, failed: failed))
        }
    }

    private struct SignedInLink: ViewModifier {
        @Binding var path: String?
        let drawbridge: Drawbridge
        let bearer: (@MainActor @Sendable () async -> Redacted<String>?)?
        let failed: @MainActor @Sendable (ClientError) -> Void
        @Environment(\.openURL) private var open

        // A view that goes away takes its task along, and with it a link that is no longer wanted.
        func body(content: Content) -> some View {
            content.task(id: path) {
                guard let path else { return }
                await follow(path)
                // Another path took this one's place: it is that one's own task that sets it back.
                if !Task.isCancelled { self.path = nil }
            }
        }

        private func follow(_ path: String) async {
            do throws(ClientError) {
                let link: LoginLink
                if let bearer {
                    guard let token = await bearer() else { throw .notSignedIn }
                    link = try await drawbridge.openURL(path: path, bearer: token)
                } else {
                    link = try await drawbridge.openURL(path: path)
                }
                guard !Task.isCancelled else { return }
                open(link.url.expose())
            } catch {
                // What is no longer wanted has not failed.
                guard !Task.isCancelled else { return }
                failed(error)
            }
        }
    }
#endif
