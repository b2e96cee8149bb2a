package import OAuth2

/// How a session came to be (contract §16.1).
package enum SessionOpening: String, Hashable, Sendable, CaseIterable {
    /// The person signed in here, at an upstream provider, or with a key on this device.
    case authorize
    case loginToken = "login_token"
    /// By a device secret: another app, or cookies for a web view.
    case tokenExchange = "token_exchange"
    /// From a browser on one domain to a website on another.
    case handOff = "hand_off"
    /// By a code that was typed on another device, or on this one and approved on another.
    case deviceCode = "device_code"
}

/// What a session came from, and what follows for it (contract §16).
///
/// Nothing grows along an edge: not the user, `acr`, `amr` or `auth_time`, not the scope, not the absolute end, not
/// what can be reached. That cannot be written wrongly, because a lineage begins with
/// ``signIn(of:authentication:at:lifetime:)`` and every other one is derived here, from its parent's.
package struct Lineage: Hashable, Sendable {
    /// What a session hangs under, and ends with.
    package enum Parent: Hashable, Sendable {
        case none
        /// The session that opened it: by a login token, an exchange, or a hand-off.
        case opened(by: SessionID)
        /// The browser's session in which a user granted it.
        case granted(in: SessionID)
    }

    package let subject: Subject
    package let opening: SessionOpening
    /// How the sessions above it came to be.
    package let ancestry: Set<SessionOpening>
    /// The apps that it came by through exchanges: it reaches no website that one of them may not open.
    package let appsAbove: Set<ClientID>
    package let parent: Parent
    /// What it may hand on at most; `nil` where nothing has limited it: a sign-in, or a bearer of another issuer, whose
    /// scopes are not ours.
    package let scope: Scope?
    package let authentication: Authentication
    /// The absolute end.
    package let expiresAt: Timestamp

    private init(
        subject: Subject, opening: SessionOpening, ancestry: Set<SessionOpening>, appsAbove: Set<ClientID>,
        parent: Parent, scope: Scope?, authentication: Authentication, expiresAt: Timestamp
    ) {
        self.subject = subject
        self.opening = opening
        self.ancestry = ancestry
        self.appsAbove = appsAbove
        self.parent = parent
        self.scope = scope
        self.authentication = authentication
        self.expiresAt = expiresAt
    }

    /// The person signed in here: where every lineage of ours begins.
    package static func signIn(
        of subject: Subject, authentication: Authentication, at now: Timestamp, lifetime: Duration
    ) -> Lineage {
        Lineage(
            subject: subject, opening: .authorize, ancestry: [], appsAbove: [], parent: .none, scope: nil,
            authentication: authentication, expiresAt: now + lifetime)
    }

    /// The person approved it on another device, which is the first that we know of it: what can be said there by
    /// mistake, or to the wrong screen, is not handed on (contract §16.4).
    package static func approvedElsewhere(
        of subject: Subject, authentication: Authentication, at now: Timestamp, lifetime: Duration
    ) -> Lineage {
        Lineage(
            subject: subject, opening: .deviceCode, ancestry: [], appsAbove: [], parent: .none, scope: nil,
            authentication: authentication, expiresAt: now + lifetime)
    }

    /// A lineage as a store has kept it; for readers of rows alone, which a test of the sources holds.
    package init(
        stored subject: Subject, opening: SessionOpening, ancestry: Set<SessionOpening>,
        appsAbove: Set<ClientID> = [], parent: Parent, scope: Scope?, authentication: Authentication,
        expiresAt: Timestamp
    ) {
        self.init(
            subject: subject, opening: opening, ancestry: ancestry, appsAbove: appsAbove, parent: parent, scope: scope,
            authentication: authentication, expiresAt: expiresAt)
    }

    /// The one derivation of a child.
    /// - Parameters:
    ///   - opening: `nil` inherits the parent's, as grants do.
    ///   - app: whose session this is, where its device secret opens the child.
    ///   - scope: what the child is limited to; cut to what limits its parent.
    fileprivate func child(
        _ opening: SessionOpening? = nil, under parent: Parent, through app: ClientID? = nil, scope: Scope?,
        until end: Timestamp
    ) -> Lineage {
        Lineage(
            subject: subject, opening: opening ?? self.opening, ancestry: ancestry.union([self.opening]),
            appsAbove: app.map { appsAbove.union([$0]) } ?? appsAbove, parent: parent,
            scope: scope.map(limiting) ?? self.scope,
            authentication: authentication, expiresAt: min(end, expiresAt))
    }
}

extension Lineage {
    /// What of `wanted` it may hand on. Who the user is needs no scope: every session says so.
    package func limiting(_ wanted: Scope) -> Scope {
        scope.map { wanted.intersection($0.adding(Scope.openID)) } ?? wanted
    }
}

// What a lineage allows (contract §16.2 to §16.4).
extension Lineage {
    /// Whether the person signed in with this very session, at us: what takes more than to be known as a user takes
    /// this (contract §16.2).
    package var isOwnSignIn: Bool { opening == .authorize && parent == .none }

    /// Openings by which a session comes to a person who need not be at the device of the sign-in.
    private static let handedOver: Set<SessionOpening> = [.loginToken, .handOff, .deviceCode]

    /// Whether it may be handed on: by a login token, or by a device secret (contract §16.4).
    package var mayBeHandedOn: Bool { Self.handedOver.isDisjoint(with: ancestry.union([opening])) }

    /// Whether it may approve a sign-in on another device: the person's own sign-in in an app, and nothing else above it.
    package var mayApproveSignIn: Bool { opening == .authorize && ancestry.isSubset(of: [.authorize]) }

    /// Whether what is granted in it may be renewed by a refresh token (contract §16.3).
    package var mayBeRenewed: Bool { opening == .authorize }
}

// The edges.
extension Lineage {
    /// This sign-in with one more proof: not a child, since the person added it here.
    /// - Returns: `nil` for a session that is not a sign-in of its own: what came over an edge stays as weak as it came.
    package func raised(to authentication: Authentication) -> Lineage? {
        guard isOwnSignIn else { return nil }
        return having(authentication)
    }

    fileprivate func having(_ authentication: Authentication) -> Lineage {
        Lineage(
            subject: subject, opening: opening, ancestry: ancestry, appsAbove: appsAbove, parent: parent, scope: scope,
            authentication: authentication, expiresAt: expiresAt)
    }

    /// A browser's session that a login token opens.
    /// - Parameters:
    ///   - subject: whom the token names, as do `authentication` and `id`: what its issuer's session says, where that is
    ///     none of ours.
    ///   - issuing: the session that the token was issued from.
    package static func handedOver(
        to subject: Subject, _ authentication: Authentication, session id: SessionID?,
        issuedFrom issuing: IssuingSession, at now: Timestamp, lifetime: Duration
    ) -> Lineage {
        switch issuing {
        case .foreign:
            Lineage(
                subject: subject, opening: .loginToken, ancestry: [], appsAbove: [],
                // Another issuer's name for a session: nothing of ours hangs there, but lists show it.
                parent: id.map { .opened(by: $0) } ?? .none, scope: nil,
                authentication: authentication, expiresAt: now + lifetime)
        case .own(let session, let scope):
            session.lineage.child(.loginToken, under: .opened(by: session.id), scope: scope, until: now + lifetime)
        case .browser(let session):
            session.lineage.child(.handOff, under: .opened(by: session.id), scope: nil, until: now + lifetime)
        }
    }
}

extension AppSession {
    /// A browser's session on another device that this one's user approved: it hands nothing on (contract §16.4).
    /// - Parameter scope: what the bearer has that approved.
    package func approved(_ scope: Scope, at now: Timestamp, lifetime: Duration) -> Lineage {
        lineage.child(.deviceCode, under: .opened(by: id), scope: scope, until: now + lifetime)
    }

    /// What this one's device secret opens: another app's session, or a web view's.
    /// - Parameter scope: what is asked for of this session's.
    package func exchanged(for scope: Scope, at now: Timestamp, lifetime: Duration) -> Lineage {
        lineage.child(.tokenExchange, under: .opened(by: id), through: clientID, scope: scope, until: now + lifetime)
    }
}

extension WebSession {
    /// This session as it was when a code that is redeemed now was granted in it. A proof that the person added since
    /// is not the grant's: who holds the code may be a thief of the cookie of before.
    /// - Parameter authentication: the grant's.
    func asGranted(with authentication: Authentication) -> WebSession {
        WebSession(
            id: id, secretDigest: secretDigest, lineage: lineage.having(authentication), clientID: clientID,
            appClientID: appClientID, loginTokenID: loginTokenID, createdAt: createdAt, idleLifetime: idleLifetime,
            lastSeenAt: lastSeenAt, wantsLogoutNotice: wantsLogoutNotice, endedAt: endedAt)
    }

    /// A client's session that the user grants in this one.
    ///
    /// What was granted for longer than the browser's sign-in (OpenID Connect Core §11) outlives it; a session that
    /// came over an edge cannot grant that, nor a device secret, nor the administration (contract §16.2).
    package func granted(_ scope: Scope, at now: Timestamp, lifetime: Duration) -> Lineage {
        let isOwn = lineage.isOwnSignIn
        let scope = isOwn ? scope : Self.ownSignInsAlone.reduce(scope) { $0.removing($1) }
        let child = lineage.child(under: .granted(in: id), scope: scope, until: now + lifetime)
        guard isOwn, scope.contains(Scope.offlineAccess) else { return child }
        return Lineage.outliving(child, until: now + lifetime)
    }

    /// What only a sign-in at the very browser can grant (contract §16.2).
    static let ownSignInsAlone = [Scope.offlineAccess, Scope.deviceSSO, Scope.admin]

    /// The session of another device, which the user lets in from this one (contract §16.4). The person who started
    /// that device may have talked the user into it, so it never gets what could be handed on or would outlive this
    /// session.
    package func grantedToDevice(_ scope: Scope, at now: Timestamp, lifetime: Duration) -> Lineage {
        lineage.child(
            .deviceCode, under: .granted(in: id),
            scope: scope.removing(Scope.offlineAccess).removing(Scope.deviceSSO), until: now + lifetime)
    }
}

extension Lineage {
    fileprivate static func outliving(_ child: Lineage, until end: Timestamp) -> Lineage {
        Lineage(
            subject: child.subject, opening: child.opening, ancestry: child.ancestry, appsAbove: child.appsAbove,
            parent: child.parent, scope: child.scope, authentication: child.authentication, expiresAt: end)
    }
}

/// The session that a login token was issued from.
package enum IssuingSession: Hashable, Sendable {
    /// A session of another issuer, which answers for it.
    case foreign
    /// One of ours.
    /// - Parameter scope: what the bearer had of it.
    case own(AppSession, scope: Scope)
    /// A browser's, which goes on to another website.
    case browser(WebSession)
}

extension IssuingSession {
    /// Whether every app that it came by through exchanges may open a website (contract §16.4): no app opens more by
    /// another's sign-in than that other one does. Sessions of other issuers, and of browsers, came by none.
    func appsAboveOpen(_ website: Client, in directory: ClientDirectory) -> Bool {
        guard case .own(let session, _) = self else { return true }
        return session.lineage.appsAbove.allSatisfy { directory[$0]?.opens(website) ?? false }
    }

    /// What the bearer had, when that is less than its session has.
    var narrowedScope: Scope? {
        guard case .own(let session, let scope) = self, !session.scope.isSubset(of: scope) else { return nil }
        return scope
    }
}
