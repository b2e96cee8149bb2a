package drawbridge.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The end of a sign-in (contract §7, RFC 7009). */
final class SignOut {
    private final Core core;

    SignOut(Core core) {
        this.core = core;
    }

    void signOut(boolean device) throws DrawbridgeException {
        core.settings.needClient();
        // Not beside a renewal: that one would put fresh tokens where these have just been taken out.
        Store.Lock[] taken = {null};
        DrawbridgeException unlocked = Step.tried(null, () -> taken[0] = core.items.renewalLock());
        try (Store.Lock held = taken[0]) {
            end(device, unlocked);
        }
    }

    /** @param unlocked why the lock could not be had, or null: what is kept ends without it, and that is told */
    private void end(boolean device, DrawbridgeException unlocked) throws DrawbridgeException {
        // What cannot be read cannot be ended at the provider, and leaves the device all the same.
        OwnSignIn[] read = {null};
        SharedSignIn[] readShared = {null};
        DrawbridgeException problem = Step.tried(null, () -> read[0] = core.ownItem.read());
        DrawbridgeException unreadable = Step.tried(null, () -> readShared[0] = core.sharedItem.read());
        OwnSignIn own = read[0];
        SharedSignIn shared = readShared[0];
        boolean isOurs = own == null || shared != null && shared.parts.subject().equals(own.subject);
        boolean endsShared = shared == null ? unreadable != null && device
            : isOurs && (device || IdToken.audiences(shared.parts.claims).contains(core.settings.clientId));
        if (own == null && problem == null && !endsShared) {
            throw new DrawbridgeException("not_signed_in");
        }
        problem = problem == null ? unreadable : problem;
        boolean bound = own != null && own.bound;
        List<String> ending = own == null ? new ArrayList<>() : own.refreshTokens();
        Collections.reverse(ending);
        // Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
        boolean isSilent = false;
        for (int i = 0; i < ending.size() && !isSilent; i++) {
            DrawbridgeException other = core.revocation.revoke(ending.get(i), "refresh_token", bound);
            problem = problem == null ? other : problem;
            isSilent = other != null && other.code.equals("unreachable");
        }
        if (shared != null && endsShared) {
            DrawbridgeException other = core.revocation.revoke(shared.deviceSecret, "device_secret", bound);
            problem = problem == null ? other : problem;
        }
        // All of it, also when the store refuses a part; what stays on the device is told before anything else.
        DrawbridgeException stays = Step.tried(unlocked, core.ownItem::remove);
        if (endsShared) {
            Step removal = shared == null ? core.sharedItem::remove
                : () -> core.sharedItem.forget(shared.deviceSecret, null);
            stays = Step.tried(stays, removal);
        }
        stays = Step.tried(stays, core.placed::clear);
        if (stays != null) {
            throw stays;
        }
        if (problem != null) {
            throw new DrawbridgeException("signed_out_here_only", problem.getMessage(), problem.oauth, problem.seconds,
                problem.requestId, problem.page);
        }
    }
}
