/* Lineage, contract §16: what a session may become, and what ends with it.
 *
 * Sessions 1 ... N-1 grow over every edge: a sign-in, a code and its grant, an exchange for an app or for cookies, a
 * login token, a hand-off to another website, another device that an app approves or a browser lets in by a code, a
 * browser's session in whose place another comes. Somebody ends one, or signs out, while requests are between their
 * reading and their transaction; two nodes hear of ends late.
 *
 * The bounds are numbers: acr 1 or 2, an absolute end 1 ... 4, scopes as bits. -DF_… plants a fault, -DTRACE prints one
 * run.
 */
#ifdef BARE               /* a formula by itself */
#define assert(x) skip
#endif
#ifndef N
#define N 5
#endif
#ifndef BUILDERS
#define BUILDERS 2
#endif
#ifndef STEPS
#define STEPS 1
#endif
#ifndef TICKS
#define TICKS 0
#endif

#define OPENID 1
#define PROFILE 2
#define OFFLINE 4
#define DEVICE 8
#define ALL 15

#define FREE 0
#define ALIVE 1
#define REPLACED 2        /* another session of the same user took its place in the browser */
#define ENDED 3

#define BROWSER 1
#define APP 2
#define WEB 3

/* How a session is handed over to somebody who need not be at the device of the sign-in (§16.4). */
#define NONE 0
#define TOKEN 1
#define HAND_OFF 2
#define DEVICE_CODE 3
#ifdef F_HAND_OFF_IS_NOT_COUNTED
#define HANDS_OVER(e) ((e) == TOKEN || (e) == DEVICE_CODE)
#else
#ifdef F_DEVICE_CODE_IS_NOT_COUNTED
#define HANDS_OVER(e) ((e) == TOKEN || (e) == HAND_OFF)
#else
#define HANDS_OVER(e) ((e) != NONE)
#endif
#endif

byte state[N], kind[N], opener[N], carrier[N], granted_in[N], scope[N], until[N], acr[N];
bit by_hand_off[N];
bit handed[N];            /* handed over, here or above (§16.4) */
bit own[N];               /* a sign-in here, without a parent (§16.2) */
/* One code that nobody has redeemed: where it was issued, and where it goes on. */
byte code_in, code_origin, code_scope;
bit code_device;          /* it is a device's that waits for it */
/* What only the properties look at: where a grant was given, or a browser handed off; what has to be over, as bits. */
byte origin[N];
byte hops[N];             /* how often it was handed over, here and above */
byte portal[N];           /* of one that was handed off: the browser's session now that it hangs under */
short doomed;
byte sessions;
/* Nodes. */
bit cached[2 * N], news[2 * N], fresh[2], refreshed[2];
byte age[N];

#define BIT(i) (1 << (i))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

inline invariants() {
    d_step { i = 1;
    do
    :: i <= sessions ->
        /* §16.6: nothing lives that is below what was ended. */
        assert(state[i] != ALIVE || ((doomed >> i) & 1) == 0);
        /* §16.5: nothing ends that did not come of it. */
        assert(state[i] != ENDED || ((doomed >> i) & 1) == 1);
        i++
    :: else -> break
    od; i = 0 }
}

/* What holds of every edge (§16.1 to §16.4). */
inline child_of(c, p) {
    assert((scope[c] & ~(scope[p] | OPENID)) == 0);
    assert(acr[c] == acr[p]);
    assert(until[c] <= until[p] || (own[p] && (scope[c] & OFFLINE)));
    assert(!own[c]);
    assert(!handed[p] || handed[c]);
    /* What a website's session has only bounds what it may grant (§16.2). */
    assert(kind[c] == WEB || !(scope[c] & (OFFLINE + DEVICE)) || !handed[c]);
    assert(hops[c] <= 1);                                /* §16.4: nothing is handed over twice */
    assert(((doomed >> p) & 1) == 0)                     /* §16.6: nothing opens below what was ended */
}

/* All that hangs below a session by what it came from, alive or not; told from the statements of the walk apart. */
inline doom(root) {
    d_step {
    found = BIT(root); more = 1;
    do
    :: more ->
        more = 0; i = 1;
        do
        :: i <= sessions ->
            k = opener[i];
            yes = (((found >> k) & 1) && (!by_hand_off[i] || kind[k] == BROWSER || k == leaves)) ||
                ((found >> origin[i]) & 1) || (carrier[i] != 0 && carrier[i] == leaves);
            k = portal[i];
            yes = yes || (((found >> k) & 1) && (kind[k] == BROWSER || k == leaves));
            if
            :: yes && ((found >> i) & 1) == 0 && ((excused >> i) & 1) == 0 -> found = found | BIT(i); more = 1
            :: else
            fi;
            i++
        :: else -> break
        od
    :: else -> break
    od;
    doomed = doomed | found; found = 0; more = 0; yes = 0; i = 0; excused = 0 }
}

/* The walk of EndingWalk: everything below, in one transaction, to a fixed point. `found` are the reached ones. */
inline walk(root) {
    doom(root);
    d_step {
    found = BIT(root); more = 1;
    do
    :: more ->
        more = 0; i = 1;
        do
        :: i <= sessions ->
            j = 1;
            do
            :: j <= sessions ->
                yes = 0;
#ifndef F_WALK_WITHOUT_OPENED
#ifdef F_WALK_TAKES_HAND_OFFS_TAKEN_OVER
                if :: opener[j] == i -> yes = 1 :: else fi;
#else
                /* Only a sign-in hands on: under any other session it hangs because that took the sign-in's place. */
                if :: opener[j] == i && (!by_hand_off[j] || kind[i] == BROWSER || i == leaves) -> yes = 1 :: else fi;
#endif
#endif
#ifndef F_WALK_WITHOUT_GRANTED
#ifdef F_WALK_TAKES_WHAT_WAS_INHERITED
                if :: carrier[j] == i -> yes = 1 :: else fi;
#else
                /* What a browser brought along ends with who leaves that browser, and with nothing above it. */
                if :: carrier[j] == i && (granted_in[j] == 0 || i == leaves) -> yes = 1 :: else fi;
#endif
#endif
#ifndef F_WALK_WITHOUT_MOVED
                if :: granted_in[j] == i -> yes = 1 :: else fi;
                /* Granted in a session that this one opened or handed off, and that lost its place since. */
                k = granted_in[j];
                if
                :: k != 0 && opener[k] == i && state[k] != ALIVE &&
                    (!by_hand_off[k] || kind[i] == BROWSER || i == leaves) -> yes = 1
                :: k != 0 && granted_in[k] == i && state[k] != ALIVE -> yes = 1
                :: else
                fi;
#endif
#ifdef F_WALK_STOPS_AT_WHAT_IS_OVER
                if :: state[i] != ALIVE -> yes = 0 :: else fi;
#endif
#ifdef F_WALK_GOES_ONE_STEP
                if :: i != root -> yes = 0 :: else fi;
#endif
                if
                :: yes && (((found >> i) & 1) == 1) && (((found >> j) & 1) == 0) && (((skipped >> j) & 1) == 0) && state[j] == ALIVE ->
                    found = found | BIT(j); more = 1
                :: else
                fi;
                j++
            :: else -> break
            od;
            i++
        :: else -> break
        od
    :: else -> break
    od;
    i = 1;
    do
    :: i <= sessions ->
        if
        :: found & BIT(i) ->
            if
            :: state[i] == ALIVE ->
                state[i] = ENDED;
#ifndef F_NEWS_LOST
                news[i] = 1; news[N + i] = 1
#endif
            :: else
            fi;
#ifndef F_CODES_ARE_LEFT
            if
            :: (code_in == i && (code_origin == 0 || i == leaves)) || code_origin == i ||
                (code_origin != 0 && granted_in[code_origin] == i) ||
                (code_origin != 0 && opener[code_origin] == i &&
                    (!by_hand_off[code_origin] || kind[i] == BROWSER || i == leaves)) ->
                code_in = 0; code_origin = 0; code_scope = 0; code_device = 0
            :: else
            fi
#endif
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0; j = 0; found = 0; more = 0; skipped = 0; yes = 0; k = 0; leaves = 0 }
}

/* Somebody ends it, an administrator too: of a browser's session that is all that the browser has. */
inline end_whole(r) { leaves = r; walk(r) }

/* A user leaves a browser: what was granted for longer in a sign-in of one's own goes on (§7). */
inline sign_out(w) {
    d_step { i = 1;
    do
    :: i <= sessions ->
        if
        :: carrier[i] == w && state[i] == ALIVE && (scope[i] & OFFLINE) && !handed[i] ->
            excused = excused | BIT(i); skipped = skipped | BIT(i)
#ifdef F_SIGN_OUT_SPARES_ALL
        :: carrier[i] == w && state[i] == ALIVE && (scope[i] & OFFLINE) == 0 -> skipped = skipped | BIT(i)
#endif
        :: else
        fi; i++
    :: else -> break
    od; i = 0; leaves = w };
    walk(w)
}

/* Verbs: each one transaction that asks again what the request had read. */

inline open_browser(strength) {
    sessions++; state[sessions] = ALIVE; kind[sessions] = BROWSER; own[sessions] = 1;
    scope[sessions] = ALL; until[sessions] = 2; acr[sessions] = strength
}

/* The user grants a client's wish in a browser's session. */
inline issue_code(w, wish) {
    code_in = w; code_origin = 0;
#ifdef F_OFFLINE_FOR_ANYBODY
    code_scope = wish;
#else
    code_scope = (own[w] -> wish : wish & (OPENID + PROFILE));
#endif
    assert(own[w] || (code_scope & (OFFLINE + DEVICE)) == 0)    /* §16.2 */
}

/* The user lets a device in from this browser. */
inline issue_device_code(w, wish) {
    assert(own[w]);                                      /* §16.2: what came over an edge lets nobody in */
    code_in = w; code_origin = 0; code_device = 1;
#ifdef F_DEVICE_IS_GRANTED_ALL
    code_scope = wish
#else
    code_scope = wish & (OPENID + PROFILE)
#endif
}

inline redeem_code() {
    sessions++; d_step {
    state[sessions] = ALIVE; kind[sessions] = APP; carrier[sessions] = code_in; granted_in[sessions] = code_origin;
    i = (code_origin != 0 -> code_origin : code_in);
#ifdef F_SCOPE_IS_NOT_CUT
    scope[sessions] = code_scope;
#else
    scope[sessions] = code_scope & (scope[i] | OPENID);
#endif
#ifdef F_END_IS_NOT_CUT
    until[sessions] = 4;
#else
    until[sessions] = (own[i] && (code_scope & OFFLINE) -> 4 : MIN(4, until[i]));
#endif
    acr[sessions] = acr[i];
#ifndef F_ANCESTRY_IS_LOST
    handed[sessions] = handed[i];
#endif
    if :: code_device && HANDS_OVER(DEVICE_CODE) -> handed[sessions] = 1 :: else fi;
    hops[sessions] = hops[i] + code_device;
    origin[sessions] = (code_origin != 0 -> code_origin : code_in);
    code_in = 0; code_origin = 0; code_scope = 0; code_device = 0; i = 0 };
    child_of(sessions, origin[sessions])
}

/* What a session opens: another app, a web view's cookies, a website by its login token, another website that its
 * browser goes on to, a browser on another device that its app approves. */
inline open_below(p, what, edge, wish) {
    sessions++; d_step {
    state[sessions] = ALIVE; kind[sessions] = what; opener[sessions] = p;
#ifdef F_SCOPE_IS_NOT_CUT
    scope[sessions] = wish;
#else
    scope[sessions] = wish & (scope[p] | OPENID);
#endif
#ifdef F_END_IS_NOT_CUT
    until[sessions] = 3;
#else
    until[sessions] = MIN(3, until[p]);
#endif
#ifdef F_STRENGTH_OF_THE_ASKER
    acr[sessions] = 2;
#else
    acr[sessions] = acr[p];
#endif
#ifdef F_ANCESTRY_IS_LOST
    handed[sessions] = HANDS_OVER(edge);
#else
    handed[sessions] = handed[p] || HANDS_OVER(edge);
#endif
    hops[sessions] = hops[p] + ((edge) != NONE);
    by_hand_off[sessions] = ((edge) == HAND_OFF);
    portal[sessions] = ((edge) == HAND_OFF -> p : 0);
    origin[sessions] = portal[sessions]
    };
    child_of(sessions, p);
    /* §16.4: what was handed over is not handed on. */
    assert(!handed[p])
}

/* Another session of the same user takes a browser's place: what was granted goes on under that one (§6, §16.6). */
inline replace(old, new) {
    d_step {
    state[old] = REPLACED; i = 1;
    do
    :: i <= sessions ->
        if
        :: carrier[i] == old && state[i] == ALIVE ->
#ifdef F_MOVE_FORGETS_THE_ORIGIN
            carrier[i] = new
#else
            if :: granted_in[i] == 0 -> granted_in[i] = old :: else fi;
            carrier[i] = new
#endif
        /* Where the browser went on to from there ends with what took the place (§4.6). */
        :: by_hand_off[i] && opener[i] == old && i != new ->
#ifndef F_MOVE_FORGETS_HAND_OFFS
            opener[i] = new;
#endif
#ifndef F_MOVE_FORGETS_THE_PORTAL
            if :: granted_in[i] == 0 -> granted_in[i] = old :: else fi;
#endif
            portal[i] = new
        :: else
        fi; i++
    :: else -> break
    od;
    if
    :: code_in == old ->
        if :: code_origin == 0 -> code_origin = old :: else fi;
        code_in = new
    :: else
    fi;
    news[old] = 1; news[N + old] = 1;
    i = 0 }
}

#ifdef F_CHAINS
#define MAY_HAND_ON(p) (true)
#else
#define MAY_HAND_ON(p) (!handed[p])
#endif

/* Whether an app may say for a browser elsewhere that its user signs in there: it is its user's own sign-in (§9). */
#ifdef F_ANY_APP_APPROVES
#define MAY_APPROVE(p) (true)
#else
#define MAY_APPROVE(p) (!handed[p] && opener[p] == 0)
#endif
/* Whether a browser may let a device in (§16.2). */
#ifdef F_ANY_BROWSER_LETS_IN
#define MAY_LET_IN(w) (true)
#else
#define MAY_LET_IN(w) (own[w])
#endif

/* `leaves` is the browser's session that is left as a whole, or none. */
#define LOCALS byte i, j, k, b, leaves; short found, skipped, excused; bit more, yes
#define ROOM(n) (sessions + (n) < N)

#ifndef TRACE

/* Somebody's wish: an operand, read; then the transaction. */
#define OPERAND if :: k = 1 :: sessions >= 2 -> k = 2 :: sessions >= 3 -> k = 3 :: sessions >= 4 -> k = 4 fi
#define WISH if :: b = OPENID + PROFILE :: b = ALL fi

#ifdef F_PARENT_ASKED_BEFORE_ONLY
#define STILL(p) (true)
#else
#define STILL(p) (state[p] == ALIVE)
#endif

proctype builder() {
    LOCALS;
    byte n, what;
    do
    :: n < STEPS ->
        n++;
        /* The reading: of a session that lives at this moment. */
        atomic { OPERAND;
            if :: state[k] != ALIVE -> k = 0 :: else fi;
            if
            :: k == 0 -> what = 0
            :: k != 0 && kind[k] != APP && code_in == 0 -> what = 1
            :: code_in != 0 -> what = 2
            :: k != 0 && kind[k] == APP && MAY_HAND_ON(k) -> what = 3
            :: k != 0 && kind[k] == APP && MAY_HAND_ON(k) -> what = 4
            :: k != 0 && kind[k] == APP && MAY_HAND_ON(k) -> what = 5
            :: k != 0 && kind[k] == BROWSER -> what = 6
            :: k != 0 && kind[k] == BROWSER && own[k] -> what = 7
            :: k != 0 && kind[k] == APP && MAY_APPROVE(k) -> what = 8
            :: k != 0 && kind[k] != APP && code_in == 0 && MAY_LET_IN(k) -> what = 9
            :: else -> what = 0
            fi };
        /* The transaction. */
        atomic {
            if
            :: what == 1 && STILL(k) && code_in == 0 -> WISH; issue_code(k, b)
            :: what == 2 && code_in != 0 && ROOM(1) -> redeem_code()
            :: what == 3 && STILL(k) && ROOM(1) -> WISH; open_below(k, APP, NONE, b)
            :: what == 4 && STILL(k) && ROOM(1) -> open_below(k, WEB, NONE, OPENID + PROFILE)
            :: what == 9 && STILL(k) && code_in == 0 -> WISH; issue_device_code(k, b)
            :: (what == 5 || what == 7 || what == 8) && STILL(k) && ROOM(1) ->
                if
                :: what == 5 -> open_below(k, WEB, TOKEN, ALL)
                :: what == 7 -> open_below(k, WEB, HAND_OFF, scope[k])
                :: what == 8 -> WISH; open_below(k, WEB, DEVICE_CODE, b)
                fi;
                /* In a browser that has a session: that one's place is taken. */
                b = 1;
                do
                /* Not in the browser that it came from: there the link opens nothing (§4.6). */
                :: b < sessions && kind[b] != APP && state[b] == ALIVE && !(what == 7 && b == k) -> replace(b, sessions); break
                :: b < sessions -> b++
                :: break
                od
            :: what == 6 && STILL(k) && ROOM(1) -> open_browser(2); replace(k, sessions)
            :: else
            fi;
            invariants(); k = 0; b = 0; what = 0 }
    :: else -> break
    od
}

proctype ender() {
    LOCALS;
    byte r;
    atomic {
        if :: r = 1 :: sessions >= 2 -> r = 2 :: sessions >= 3 -> r = 3 fi;
        if
        :: end_whole(r)
        /* §16.5: the link that opened it is used again. */
        :: kind[r] == WEB -> walk(r)
        :: kind[r] == BROWSER && state[r] == ALIVE -> sign_out(r)
        fi;
        invariants() }
}

/* A node is asked with the cookie of a session, and hears of ends late (§16.11). */
inline look(n, s) {
    yes = cached[n * N + s] &&
#ifdef F_CACHE_BELIEVED
        true;
#else
        fresh[n];
#endif
    assert(!yes || age[s] < 2);
    if :: !yes -> cached[n * N + s] = (state[s] == ALIVE) :: else fi;
    yes = 0
}

proctype pages() {
    bit yes;
    byte n;
    do
    :: n < 4 -> n++; atomic { if :: look(0, 1) :: look(1, 2) fi }
    :: else -> break
    od
}

proctype world() {
    byte ticks, i;
    do
    :: atomic { ticks < TICKS ->
        ticks++;
        i = 0;
        do
        :: i < 2 ->
            if
            :: d_step {
                if :: news[i * N + 1] -> cached[i * N + 1] = 0; news[i * N + 1] = 0 :: else fi;
                if :: news[i * N + 2] -> cached[i * N + 2] = 0; news[i * N + 2] = 0 :: else fi;
                fresh[i] = 1 }
            :: fresh[i] = refreshed[i]
            fi;
            i++
        :: else -> break
        od;
        d_step { i = 1;
        do :: i < N -> if :: state[i] > ALIVE && age[i] < 2 -> age[i]++ :: else fi; i++ :: else -> break od; i = 0 } }
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        open_browser(1);
#ifdef GROWN
        /* A browser, the app that was granted in it, and the website that the app has opened. */
        issue_code(1, ALL); redeem_code(); open_below(2, WEB, TOKEN, ALL);
#endif
        run ender(); run builder();
#ifdef TWO
        run builder();
#endif
#ifdef PAGES
        run pages(); run world();
#endif
    }
}

#ifdef LTL
/* §7, §16.6: what has ended does not live again. */
ltl over_is_over { [] (state[1] == ENDED -> [] (state[1] == ENDED)) }
/* §7: codes go first. */
ltl code_ends { [] ((doomed & 2) -> [] (code_in != 1)) }
/* §16.4 */
ltl no_chain { [] (opener[N - 1] == 0 || !handed[opener[N - 1]]) }
#endif

#else

#define PICK(x) if :: x = 1 :: sessions >= 2 -> x = 2 :: sessions >= 3 -> x = 3 :: sessions >= 4 -> x = 4 \
    :: sessions >= 5 -> x = 5 :: sessions >= 6 -> x = 6 :: sessions >= 7 -> x = 7 :: sessions >= 8 -> x = 8 \
    :: sessions >= 9 -> x = 9 :: sessions >= 10 -> x = 10 fi
#define STATES d_step { mask = 0; i = 1; do :: i <= sessions -> mask = mask | ((state[i] == ALIVE) << i); i++ \
    :: else -> break od; i = 0 }

init {
    LOCALS;
    byte n, q;
    short mask;
    open_browser(1); printf("@ signin 0 1 2\n");
    do
    :: n < 40 && ROOM(1) ->
        n++;
        PICK(k); PICK(q);
        /* Now and then something ends, a session whose place another took included; else it grows where it can. */
        if
        :: n % 6 == 0 && state[k] != ENDED && sessions > 2 ->
            q = k;
            if
            :: state[k] == ALIVE && kind[k] != APP -> sign_out(q); STATES; printf("@ signout %d %d\n", q, mask)
            :: end_whole(q); STATES; printf("@ end %d %d\n", q, mask)
            :: kind[q] == WEB -> walk(q); STATES; printf("@ replay %d %d\n", q, mask)
            fi
        :: (n % 6 != 0 || sessions <= 2) && state[k] == ALIVE && kind[k] != APP ->
            if :: b = OPENID + PROFILE :: b = ALL :: b = ALL fi;
            issue_code(k, b); redeem_code();
            STATES; printf("@ grant %d %d %d %d %d %d %d\n", k, b, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 6 != 0 && state[k] == ALIVE && kind[k] == APP && !handed[k] ->
            if :: b = OPENID + PROFILE :: b = ALL fi;
            open_below(k, APP, NONE, b);
            STATES; printf("@ exchange %d %d %d %d %d %d %d\n", k, b, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 6 != 0 && state[k] == ALIVE && kind[k] == APP && !handed[k] ->
            open_below(k, WEB, TOKEN, ALL);
            if
            :: state[q] == ALIVE && kind[q] != APP && q < sessions -> replace(q, sessions)
            :: q = 0
            fi;
            STATES; printf("@ token %d %d %d %d %d %d %d\n", k, q, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 6 == 1 && state[k] == ALIVE && own[k] ->
            open_below(k, WEB, HAND_OFF, scope[k]);
            STATES; printf("@ handoff %d %d %d %d %d %d\n", k, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 2 == 1 && state[k] == ALIVE && kind[k] == APP && MAY_APPROVE(k) ->
            if :: b = OPENID + PROFILE :: b = ALL fi;
            open_below(k, WEB, DEVICE_CODE, b);
            STATES; printf("@ approve %d %d %d %d %d %d %d\n", k, b, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 6 == 4 && state[k] == ALIVE && kind[k] != APP && own[k] ->
            if :: b = OPENID + PROFILE :: b = ALL fi;
            issue_device_code(k, b); redeem_code();
            STATES; printf("@ device %d %d %d %d %d %d %d\n", k, b, scope[sessions], until[sessions], handed[sessions], acr[sessions], mask)
        :: n % 6 == 2 && state[k] == ALIVE && kind[k] == BROWSER -> open_browser(2); replace(k, sessions);
            STATES; printf("@ signin %d 2 %d\n", k, mask)
        :: else -> skip
        fi;
        invariants()
    :: else -> break
    od
}
#endif
