/* The device secret of contract §5.1, §5.2, §5.4 and §7: exchange, rotation with its overlap, sign-in, revocation.
 *
 * One device, its secrets 1 ... NK-1, the app session that it was issued with, and what exchanges open under it; an app
 * whose answers get lost, a second app that shares the secret, a thief who has the first one, and whoever ends things.
 *
 * A request reads, then is decided anew in one transaction: two atomic blocks, between which everybody else may act.
 * -DF_… plants a fault, -DTRACE prints the course of one run.
 */
#ifdef BARE               /* a formula by itself */
#define assert(x) skip
#endif
#ifndef NK
#define NK 6              /* secrets */
#endif
#ifndef NS
#define NS 6              /* sessions; 1 is the app's */
#endif
#ifndef LOSSES
#define LOSSES 1
#endif

#define UNKNOWN 0
#define CURRENT 1
#define REPLACED 2
#define SPENT 3

#define NONE 0
#define ALIVE 1
#define ENDED 2

/* The answers. */
#define ACCEPTED 1
#define REVOKED 2
#define REPLAYED 3
#define SESSION_OVER 4
#define LOST 5

byte place[NK], session[NS];
bit in_overlap[NK];
bit device_over, user_over;
byte keys = 1, sessions = 1;
byte losses = LOSSES;
/* What only the properties look at. */
byte successors[NK], late_uses[NK];
bit theft, ended_by_somebody;
byte kept = 1;            /* the secret in the store that the apps share */

inline invariants() {
    d_step {
    /* §7: with the device goes everything of it. */
    i = 1;
    do
    :: i < NS -> assert(!(device_over || user_over) || session[i] != ALIVE);
                 /* §16.6: what the app's session opened goes with it. */
                 assert(session[1] == ALIVE || session[i] != ALIVE); i++
    :: else -> break
    od;
    /* §5.4: of a living device's one line of secrets one is good, and a replaced one works once more. */
    i = 1; count = 0;
    do
    :: i < NK -> count = count + (place[i] == CURRENT); assert(successors[i] <= 2); assert(late_uses[i] <= 1); i++
    :: else -> break
    od;
    assert(device_over || count == 1);
    i = 0; count = 0 }
}

inline end_all() {
    d_step {
    device_over = 1; i = 1;
    do
    :: i < NS ->
#ifdef F_END_LEAVES_EXCHANGED
        if :: session[i] == ALIVE && i == 1 -> session[i] = ENDED :: else fi;
#else
        if :: session[i] == ALIVE -> session[i] = ENDED :: else fi;
#endif
        i++
    :: else -> break
    od; i = 0 }
}

/* A secret that was used where it should not have been (§7, last point). */
inline replay() {
    theft = 1;
#ifndef F_REPLAY_ENDS_NOTHING
    end_all();
#endif
    out = REPLAYED;
    assert(device_over)
}

/* Whether a replaced secret has its one use left; takes it up. */
inline take_overlap(s) {
#ifdef F_OVERLAP_WITHOUT_END
    yes = (place[s] == REPLACED);
#else
#ifdef F_OVERLAP_NOT_COUNTED
    yes = in_overlap[s];
#else
    yes = (place[s] == REPLACED && in_overlap[s]);
#endif
#endif
    /* §5.4, §7: never after the overlap. */
    assert(!yes || in_overlap[s]);
    if
    :: yes -> place[s] = SPENT; late_uses[s]++
    :: else
    fi
}

/* DeviceStore.useDeviceSecret. */
inline use(s) {
    if
    :: user_over -> out = SESSION_OVER
    :: !user_over && device_over -> out = REVOKED
    :: else ->
        before = place[s]; yes = 1;
#ifdef F_READ_DECIDES
        if :: seen == REPLACED && place[s] != CURRENT -> take_overlap(s) :: else fi;
#else
        if :: place[s] != CURRENT -> take_overlap(s) :: else fi;
#endif
        if
        :: !yes -> replay()
#ifndef F_SESSION_ASKED_BEFORE_ONLY
        :: yes && session[1] != ALIVE ->
            /* §5.4: an exchange that comes to nothing uses nothing up. */
#ifndef F_WITHDRAWN_IS_SPENT
            if :: before == REPLACED && place[s] == SPENT -> late_uses[s]-- :: else fi;
            place[s] = before;
#endif
            assert(place[s] == before);
            out = SESSION_OVER
#endif
        :: else ->
            assert(place[s] != REPLACED);                    /* §7: nobody gets in with it uncounted */
            sessions++; session[sessions] = ALIVE; out = ACCEPTED
        fi;
        before = 0; yes = 0
    fi
}

/* DeviceStore.rotateDeviceSecret; `told` is the successor. */
inline rotate(s) {
    told = 0;
    if
#ifndef F_DEAD_DEVICE_ROTATES
    :: device_over -> out = REVOKED
#endif
    :: else ->
        yes = 1;
        if
#ifdef F_ROTATION_WITHOUT_GUARD
        :: true -> place[s] = REPLACED; in_overlap[s] = 1
#else
        :: place[s] == CURRENT -> place[s] = REPLACED; in_overlap[s] = 1
        :: else ->
            take_overlap(s);
            if
            :: yes ->
#ifdef F_OVERLAP_LEAVES_THE_FIRST
                skip
#else
                d_step { i = 1;
                do
                :: i < NK -> if :: place[i] == CURRENT -> place[i] = REPLACED; in_overlap[i] = 1 :: else fi; i++
                :: else -> break
                od; i = 0 }
#endif
            :: else
            fi
#endif
        fi;
        if
        :: yes ->
            assert(!device_over);                            /* §7: nothing is given out for a device that is over */
            keys++; told = keys; successors[s]++; out = ACCEPTED;
#ifndef F_SUCCESSOR_IN_ANOTHER_TRANSACTION
            place[told] = CURRENT
#endif
        :: else -> replay()
        fi;
        yes = 0
    fi
}

/* The next sign-in with the secret: DeviceSecrets.provideAtSignIn. */
inline sign_in(s) {
    told = 0;
    if
    :: device_over -> out = REVOKED
#ifdef F_REPLACED_IS_TOLD_AGAIN
    :: !device_over && (place[s] == CURRENT || (place[s] == REPLACED && in_overlap[s])) -> told = s; out = ACCEPTED
#else
    :: !device_over && place[s] == CURRENT -> told = s; out = ACCEPTED
    :: !device_over && place[s] == REPLACED && in_overlap[s] -> rotate(s)
#endif
    /* A bad one counts as absent: another device, which is not this one's matter. */
    :: else -> out = REVOKED
    fi;
    assert(told == 0 || place[told] != REPLACED)              /* §5.1: what is told is good */
}

#define LOCALS byte i, count, out, told, before, seen; bit yes

#ifndef TRACE

#define ROOM (keys + 1 < NK && sessions + 1 < NS)

/* What the check sees before; the transaction decides. */
inline look(s) {
    atomic { seen = place[s];
        if
        :: device_over -> out = REVOKED
        :: !device_over && session[1] != ALIVE -> out = SESSION_OVER
        :: else -> out = 0
        fi }
}

inline exchange(s) {
    look(s);
    if
    :: out == 0 -> atomic { use(s); invariants(); seen = 0; told = 0 }
    :: else
    fi
}

#ifdef F_SUCCESSOR_IN_ANOTHER_TRANSACTION
#define STORE_SUCCESSOR if :: told != 0 -> place[told] = CURRENT :: else fi
#else
#define STORE_SUCCESSOR skip
#endif

/* The app that keeps the secret: refreshes, and comes back with the old one where the answer was lost. */
proctype app() {
    LOCALS;
    byte tries;
    do
    :: tries < 3 && ROOM && !device_over ->
        tries++; seen = kept;
        atomic {
            if
            :: rotate(seen)
            :: sign_in(seen)
            fi;
            invariants() };
        atomic {
            STORE_SUCCESSOR;
            if
            :: told != 0 -> kept = told
            /* Its answer is lost; the app comes back in time, since it has no other. */
            :: told != 0 && losses > 0 -> losses--
            :: told == 0
            fi;
            seen = 0; told = 0 }
#ifdef ALONE
        ;
        /* §5.4: whoever loses an answer in the overlap keeps the device. */
        assert(theft == 0)
#endif
    :: tries >= 3 || !ROOM || device_over -> break
    od
}

/* A second app of the same keychain. */
proctype second() {
    LOCALS;
    byte s;
    s = kept;
    if :: ROOM -> exchange(s) :: !ROOM fi
}

/* Somebody who has the first secret. */
proctype thief() {
    LOCALS;
    byte tries;
    do
    :: tries < 2 && ROOM -> tries++;
        if
        :: exchange(1)
        :: atomic { rotate(1); STORE_SUCCESSOR; invariants(); told = 0 }
        fi
    :: tries >= 2 || !ROOM -> break
    od
}

/* The app's session ends, the device is revoked, the user disabled. */
proctype ender() {
    LOCALS;
    atomic {
        if
        :: end_all()
        :: user_over = 1;
#ifndef F_DISABLED_KEEPS_SESSIONS
           end_all()
#endif
        /* The app signs out alone: its session, with what it opened. */
        :: d_step { i = 1;
            do
            :: i < NS ->
#ifdef F_SESSION_LEAVES_ITS_OWN
                if :: i == 1 && session[i] == ALIVE -> session[i] = ENDED :: else fi;
#else
                if :: session[i] == ALIVE -> session[i] = ENDED :: else fi;
#endif
                i++
            :: else -> break
            od; i = 0 }
        fi;
        invariants() }
}

/* Overlaps run out; where the app is alone, not of the secret with which it may have to come back. */
proctype clock() {
    byte s;
    do
    :: atomic { s < 2 * NK ->
#ifdef ALONE
        if :: s % NK == kept -> skip :: s % NK != kept -> in_overlap[s % NK] = 0 fi;
#else
        in_overlap[s % NK] = 0;
        if :: s >= NK - 1 -> s = 2 * NK - 1 :: else fi;
#endif
        s++ }
    :: s >= NK -> break
    od
}

init {
    atomic {
        place[1] = CURRENT; session[1] = ALIVE;
        run app(); run clock();
#ifdef SECOND
        run second();
#endif
#ifdef THIEF
        run thief();
#endif
#ifdef ENDER
        run ender();
#endif
    }
}

#ifdef LTL
/* §7: a second use ends everything of the device. */
ltl theft_ends { [] (theft -> device_over) }
/* §7, §16.6 */
ltl nothing_after { [] (device_over -> [] (session[1] != ALIVE && session[2] != ALIVE && session[3] != ALIVE)) }
#endif

#else

init {
    LOCALS;
    byte steps, s;
    place[1] = CURRENT; session[1] = ALIVE;
    do
    :: steps < 14 && keys + 2 < NK && sessions + 2 < NS ->
        steps++; out = 0;
        select(s : 1 .. 4);
        if :: s > keys -> s = keys :: else fi;
        if
        :: use(s); printf("@ use %d %d %d\n", s, out, device_over)
        :: rotate(s); printf("@ rotate %d %d %d\n", s, out, told)
        :: s = keys; rotate(s); printf("@ rotate %d %d %d\n", s, out, told)
        :: !device_over && session[1] == ALIVE && (place[s] == CURRENT || (place[s] == REPLACED && in_overlap[s])) ->
            sign_in(s); printf("@ signin %d %d %d\n", s, out, told)
        :: d_step { i = 1; do :: i < NK -> in_overlap[i] = 0; i++ :: else -> break od; i = 0 }; printf("@ late\n")
        :: steps > 9 -> end_all(); printf("@ revoke\n")
        :: steps > 9 && session[1] == ALIVE ->
            d_step { i = 1; do :: i < NS -> if :: session[i] == ALIVE -> session[i] = ENDED :: else fi; i++
                :: else -> break od; i = 0 }; printf("@ end\n")
        fi
    :: else -> break
    od
}
#endif
