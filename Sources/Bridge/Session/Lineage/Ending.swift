import OAuth2

/// What is ended, with everything below it.
package enum EndingRoot: Hashable, Sendable {
    case appSession(SessionID)
    case webSession(SessionID)
    case device(DeviceSecretID)
    /// Everything of a user, including unused login tokens.
    case user(Subject)
    /// What an app opened of a user whom another issuer signs in there, its unused login tokens for this user included.
    /// - Parameter session: the app's session, as its issuer calls it; `nil` where it does not tell them apart, and
    ///   then all that the app opened of the user.
    case opened(by: ClientID, of: Subject, in: SessionID?)
    /// What a user has granted a client: unredeemed codes, and app sessions however they were opened.
    case granted(to: ClientID, of: Subject)
    /// What could still sign a user in: unredeemed codes, also of devices that were let in, unused login tokens, and
    /// proofs that wait (``SignInBasis``). No session ends.
    case unused(of: Subject)
}

/// An end: when, why, by whom, and how far it goes. Its events are made here; ``EndingWalk`` says what it reaches, and
/// a store carries both out in one transaction (contract §16.6).
package struct Ending: Sendable {
    /// How far an end reaches from where it begins (contract §16.6).
    package enum Extent: Hashable, Sendable {
        /// Everything that descends from it, whatever it was granted for, and what its browser brought along.
        case everything
        /// Everything that descends from it and no more: what a browser's session took over from the one before goes
        /// on.
        case descendants
        /// Everything that descends from it, the device secrets that its refreshes and its descendants' gave out, and
        /// the devices that were given their first secret there, unless another app is signed in on them: one of two
        /// who showed what opened or renews it is a thief, or whoever has the phone is, and may have those secrets.
        case stolen
        /// A user leaves a browser: what they granted for longer than that goes on (OpenID Connect Core §11), and its
        /// clients hear of it all the same.
        case signOut
    }

    /// Why, as the audit log says it.
    package enum Reason: Hashable, Sendable {
        case word(EndReason)
        /// What an administrator wrote; websites do not get it (``AuditEvent/reasonForWebsites``).
        case administrators(String)

        package var text: String {
            switch self {
            case .word(let word): word.rawValue
            case .administrators(let text): text
            }
        }
    }

    package let at: Timestamp
    package let reason: Reason
    /// `nil` for the command line.
    package let origin: RequestOrigin?
    /// The administrator who did it.
    package let actor: AdminActor?
    /// When the administrator signed in; `nil` for a program, and where it is not known.
    package let signedInAt: Timestamp?
    /// Who else asked for it; `nil` where nobody did, and where a browser leaves a session of its own.
    package let asker: EndingAsker?
    package var extent: Extent
    /// The type of the event of the browser's session that it begins with: ``AuditEventType/webSessionSwitched`` when
    /// another user's session takes its place.
    let webSessionType: AuditEventType
    /// Whether the browser's session that it begins with had ended before its user left; `nil` where only its row can
    /// tell: it may have ended a moment ago, by the same act.
    package var rootHadEnded: Bool?

    package init(
        at: Timestamp, reason: EndReason, origin: RequestOrigin?, by asker: EndingAsker? = nil,
        extent: Extent = .everything, webSessionType: AuditEventType = .webSessionEnded
    ) {
        self.at = at
        self.reason = .word(reason)
        self.origin = origin
        actor = nil
        signedInAt = nil
        self.asker = asker
        self.extent = extent
        self.webSessionType = webSessionType
    }

    /// What an administrator ends.
    /// - Parameter unsaid: the reason, where the administrator gave none.
    package init(_ action: AdminAction, unsaid: EndReason = .administrator) {
        at = action.at
        if let words = action.reason, !words.isEmpty {
            reason = .administrators(words)
        } else {
            reason = .word(unsaid)
        }
        origin = action.origin
        actor = action.actor
        signedInAt = action.signedInAt
        asker = nil
        extent = .everything
        webSessionType = .webSessionEnded
    }

    /// Whether a browser's cookie is what ends it: by a sign-out there, or since another user signs in.
    var leavesBrowser: Bool {
        extent == .signOut && [.word(.signedOut), .word(.accountSwitch)].contains(reason)
    }

    /// For sessions that end because their device does.
    static let deviceRevoked = Reason.word(.deviceSecretRevoked)

    func event(ending session: AppSession, reason: Reason) -> AuditEvent {
        AuditEvent(
            at: at, type: .appSessionEnded, outcome: .success, reason: reason.text, subject: session.subject,
            clientID: session.clientID, sessionID: session.id, origin: origin, detail: detail())
    }

    func event(
        ending session: WebSession, type: AuditEventType = .webSessionEnded, reason: Reason? = nil
    ) -> AuditEvent {
        AuditEvent(
            at: at, type: type, outcome: .success, reason: (reason ?? self.reason).text, subject: session.subject,
            clientID: session.appClientID, targetClientID: session.clientID, sessionID: session.id,
            tokenID: session.loginTokenID, origin: origin, detail: detail())
    }

    func event(revoking device: DeviceSecret) -> AuditEvent {
        AuditEvent(
            at: at, type: .deviceSecretRevoked, outcome: .success, reason: reason.text, subject: device.subject,
            clientID: device.clientID, sessionID: device.sessionID, origin: origin, detail: detail(device.id))
    }

    /// - Parameters:
    ///   - app: the app whose sign-out this is, if it is one's.
    ///   - session: the app's session.
    func event(
        voidingLoginTokens count: Int, of subject: Subject, by app: ClientID?, in session: SessionID?
    ) -> AuditEvent {
        AuditEvent(
            at: at, type: .loginTokenRevoked, outcome: .success, reason: reason.text, subject: subject, clientID: app,
            sessionID: session, origin: origin, detail: detail(loginTokens: count))
    }

    private func detail(_ device: DeviceSecretID? = nil, loginTokens: Int? = nil) -> String? {
        guard device != nil || loginTokens != nil || actor != nil || asker != nil else { return nil }
        var detail = JSONObjectWriter()
        if let actor { detail.add(AuditDetail.actor, actor.description) }
        detail.add(AuditDetail.byClient, asker?.clientID?.rawValue)
        detail.add(AuditDetail.bySession, asker?.sessionID?.rawValue)
        if let device { detail.add(AuditDetail.deviceSecretID, device.rawValue) }
        if let loginTokens { detail.add(AuditDetail.loginTokens, Int64(loginTokens)) }
        if let signedInAt { detail.add(AuditDetail.signedInAt, signedInAt.rfc3339) }
        return detail.finishedText()
    }
}

/// What an end has ended.
package struct Ended: Hashable, Sendable {
    /// App sessions and web sessions, in the order in which they ended.
    package var sessions: [SessionID] = []
    package var devices: [DeviceSecretID] = []

    package init(sessions: [SessionID] = [], devices: [DeviceSecretID] = []) {
        self.sessions = sessions
        self.devices = devices
    }

    package static let nothing = Ended()

    package var isEmpty: Bool { sessions.isEmpty && devices.isEmpty }

    /// Whether what `root` names was alive until now; for a user, what else was theirs is unknown.
    func includes(_ root: EndingRoot) -> Bool {
        switch root {
        case .appSession(let id), .webSession(let id): sessions.contains(id)
        case .device(let id): devices.contains(id)
        case .user, .opened, .granted, .unused: false
        }
    }

    package static func + (left: Ended, right: Ended) -> Ended {
        Ended(sessions: left.sessions + right.sessions, devices: left.devices + right.devices)
    }
}

extension Ending {
    /// A user signs out of a browser.
    package static func signOut(origin: RequestOrigin, at now: Timestamp) -> Ending {
        Ending(at: now, reason: .signedOut, origin: origin, extent: .signOut)
    }

    /// A browser's session gives way to another user's: one browser has one user (contract §4.3).
    package static func accountSwitch(origin: RequestOrigin, at now: Timestamp) -> Ending {
        Ending(
            at: now, reason: .accountSwitch, origin: origin, extent: .signOut, webSessionType: .webSessionSwitched)
    }
}
