/* The hand-off of contract §4: login tokens become browsers' sessions.
 *
 * Two tokens, two nodes with a cache each, one database, one Redis that forgets; the browser that the tokens are for,
 * which taps twice and tries again, and somebody else's, which has the first link. README.md says what is left out.
 *
 * Every step of a request that touches the database, Redis or a node's memory is one atomic block; between any two of
 * them everybody else may act, and the node may crash. -DF_… plants a fault, -DTRACE prints the course of one run.
 */
#ifdef BARE               /* a formula by itself */
#define assert(x) skip
#endif
#ifndef NS
#define NS 5              /* sessions 1 ... NS-1; 0 is none */
#endif
#ifndef LOSSES
#define LOSSES 0          /* answers of the store that get lost */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef FORGETS
#define FORGETS 0         /* times that Redis is emptied or away */
#endif
#ifndef TICKS
#define TICKS 0           /* half seconds, for the news of ends */
#endif
#define NT 2
#define NN 2
#ifdef TRACE
#define NOTE(x) fault = x
byte fault;               /* 1 the answer is lost, 2 and the store away, 3 the commit is lost, 4 and the store away */
#else
#define NOTE(x) skip
#endif
#define AT(n, s) ((n) * NS + (s))
#define BY(b, t) ((b) * NT + (t))

#define PENDING 0
#define REDEEMED 1
#define REVOKED 2
#define NONE 0
#define ALIVE 1
#define ENDED 2

/* The answers. */
#define OPEN 0            /* not answered yet */
#define GIVEN 1           /* 303 with the cookies of `give` */
#define LANDED 2          /* 303 without cookies */
#define REFUSED 3
#define UNAVAILABLE 4     /* 503, nothing was tried */
#define UNDECIDED 5       /* 503 with the retry cookie */
#define DEAD 6            /* the node crashed: no answer */

/* The database. */
byte token[NT], used_by[NT], opened_as[NT];
bit recent[NT];           /* used at most 3 s ago */
byte session[NS], of_token[NS], of_browser[NS];
bit app_over;             /* the app's session that both tokens were issued from */
/* Redis. */
bit claimed[NT];
/* The nodes' memories. */
bit cached[NN * NS], removed[NN * NS], news[NN * NS], fresh[NN], refreshed[NN];
byte life[NN];            /* how often it was started */
/* The browsers: 0 is the user's, 1 somebody else's. */
byte cookie[2], retry[2 * NT];
/* What only the properties look at. */
byte opened[NT], age[NS];
bit replayed[NT], revocation_answered[NT];
byte losses = LOSSES, crashes = CRASHES, forgets = FORGETS, minted;

/* What holds after every transaction. */
inline invariants() {
    assert(opened[0] <= 1 && opened[1] <= 1);                          /* §4.3: a token opens one session, ever */
    assert(token[0] != REDEEMED || session[opened_as[0]] != NONE);     /* §4.3: using up and opening are one */
    assert(token[1] != REDEEMED || session[opened_as[1]] != NONE);
    assert(!replayed[0] || session[opened_as[0]] != ALIVE);            /* §16.5 */
    assert(!replayed[1] || session[opened_as[1]] != ALIVE);
    assert(!app_over || (session[opened_as[0]] != ALIVE && session[opened_as[1]] != ALIVE));   /* §16.6 */
    assert(!revocation_answered[0] || token[0] == REVOKED)             /* §3: a 204 is kept */
}

inline end_session(s) {
    if
    :: session[s] == ALIVE ->
        session[s] = ENDED;
#ifndef F_NEWS_LOST
        news[AT(0, s)] = 1; news[AT(1, s)] = 1
#endif
    :: else
    fi
}

inline forget(n, s) {
    cached[AT(n, s)] = 0;
#ifndef F_REMOVAL_NOT_REMEMBERED
    removed[AT(n, s)] = 1;
#endif
    news[AT(n, s)] = 0
}

inline remember(n, s) {
    if
    :: !removed[AT(n, s)] -> cached[AT(n, s)] = 1
    :: else
    fi
}

/* A node learns of all ends until now (§16.11). */
inline refresh(n) {
    d_step {
    k = 1;
    do
    :: k < NS -> if :: news[AT(n, k)] -> forget(n, k) :: else fi; k++
    :: else -> break
    od;
    k = 0; refreshed[n] = 1; fresh[n] = 1 }
}

inline crash(n) {
    d_step {
    k = 0;
    do
    :: k < NS -> cached[AT(n, k)] = 0; removed[AT(n, k)] = 0; news[AT(n, k)] = 0; k++
    :: else -> break
    od;
    k = 0; fresh[n] = 0; refreshed[n] = 0; life[n]++ }
}

inline believed(n, s) {
#ifdef F_CACHE_BELIEVED
    yes = cached[AT(n, s)];
#else
    yes = cached[AT(n, s)] && fresh[n];
#endif
    /* §7, §16.11: within a second every node refuses what ended. */
    assert(!yes || age[s] < 2)
}

/* A second use: this very attempt's, a double tap, or a replay that ends what the first opened (§4.3, §16.5). */
inline repeated(n, b, t) {
    if
#ifdef F_ENDED_IS_GIVEN_BACK
    :: mine == opened_as[t] -> out = GIVEN; give = mine
    :: mine != opened_as[t] && recent[t] && used_by[t] == b -> out = LANDED
    :: mine != opened_as[t] && !(recent[t] && used_by[t] == b) ->
#else
#ifdef F_OWN_RETRY_IS_A_REPLAY
    :: recent[t] && used_by[t] == b -> out = LANDED
#else
    :: mine == opened_as[t] && session[mine] == ALIVE -> out = GIVEN; give = mine
#ifdef F_DOUBLE_TAP_OF_ANYBODY
    :: recent[t] && !(mine == opened_as[t] && session[mine] == ALIVE) -> out = LANDED
#else
    :: recent[t] && used_by[t] == b && !(mine == opened_as[t] && session[mine] == ALIVE) -> out = LANDED
#endif
#endif
    :: else ->
#endif
        /* §4.3: the next try after a 503 is no replay, while what the first opened stands. */
        assert(mine != opened_as[t] || session[mine] != ALIVE);
#ifndef F_REPLAY_ENDS_NOTHING
        end_session(opened_as[t]);
        forget(n, opened_as[t]);
#endif
        replayed[t] = 1; out = REFUSED
    fi;
    /* §4.3: a use by another browser is never let pass. */
    assert(used_by[t] == b || replayed[t])
}

/* The transaction of LoginTokenStore.redeem. */
inline transact(n, b, t) {
    if
#ifndef F_REVOCATION_NOT_ASKED
    :: token[t] == REVOKED -> out = REFUSED
#endif
#ifndef F_APP_ASKED_BEFORE_ONLY
    :: token[t] != REVOKED && app_over -> out = REFUSED
#endif
#ifdef F_USED_UP_WITHOUT_GUARD
    :: token[t] != REVOKED && !(app_over) ->
#else
#ifdef F_REDIS_DECIDES
    :: token[t] != REVOKED && !(app_over) && (token[t] == PENDING || !seen) ->
#else
#ifdef F_REVOCATION_NOT_ASKED
    :: token[t] != REDEEMED && !(app_over) ->
#else
#ifdef F_APP_ASKED_BEFORE_ONLY
    :: token[t] == PENDING ->
#else
    :: token[t] == PENDING && !app_over ->
#endif
#endif
#endif
#endif
        token[t] = REDEEMED; opened_as[t] = mine; used_by[t] = b; recent[t] = 1;
#ifndef F_TWO_TRANSACTIONS
        session[mine] = ALIVE; of_token[mine] = t; of_browser[mine] = b; opened[t]++;
#endif
        /* The session that this browser had goes (§6). */
        if
        :: held != 0 && held != mine -> end_session(held); forget(n, held)
        :: else
        fi;
        made = 1; out = GIVEN; give = mine
    :: else -> repeated(n, b, t)
    fi
}

/* One request, in the order of LoginTokenRedeemer. */
inline request(n, b, t, id) {
    atomic {
        out = OPEN; give = 0; made = 0; seen = 0; started = life[n];
        d_step { over = 0; k = 1;
            do :: k < NS -> over = over | ((session[k] == ENDED) << k); k++ :: else -> break od; k = 0 };
        /* The browser holds the session that this token opened (§4.3, second row). */
        held = 0;
        if
        :: cookie[b] != 0 ->
            believed(n, cookie[b]);
            if
            :: (yes || session[cookie[b]] == ALIVE) && of_token[cookie[b]] == t -> out = LANDED
            :: (yes || session[cookie[b]] == ALIVE) && of_token[cookie[b]] != t -> held = cookie[b]
            :: else
            fi
        :: else
        fi
    };
    if :: out == OPEN -> atomic {
        if
        :: life[n] != started -> out = DEAD
#ifndef TRACE
        :: life[n] == started && losses > 0 -> losses--; out = UNAVAILABLE
#endif
        :: life[n] == started ->
            /* What an attempt of this browser opened that could not be confirmed. */
#ifdef F_RETRY_NOT_LOOKED_UP
            mine = 0;
#else
            mine = retry[BY(b, t)];
#endif
            if
            :: mine != 0 && token[t] == REDEEMED && opened_as[t] == mine && session[mine] == ALIVE ->
                out = GIVEN; give = mine
            :: else ->
                if :: app_over -> out = REFUSED :: else fi
            fi;
            if :: mine == 0 -> mine = id :: else fi
        fi }
    :: else fi;
    if :: out == OPEN -> atomic {
        if
        :: life[n] != started -> out = DEAD
        /* Redis is away: the database decides alone. */
        :: life[n] == started && forgets > 0 -> forgets--; seen = 0
        :: life[n] == started -> seen = claimed[t]; claimed[t] = 1
        fi }
    :: else fi;
    if :: out == OPEN && seen -> atomic {
        if
        :: life[n] != started -> out = DEAD
        :: life[n] == started ->
            if
            :: token[t] == REVOKED -> out = REFUSED
            :: token[t] == REDEEMED -> repeated(n, b, t); invariants()
            :: else
            fi
        fi }
    :: else fi;
    if :: out == OPEN -> atomic {
        if
        :: life[n] != started -> out = DEAD
        :: life[n] == started -> transact(n, b, t); lost = 0
        /* The answer is lost, of a commit that was made or was not. */
        :: life[n] == started && losses > 0 -> losses--; transact(n, b, t); lost = 1; NOTE(1)
        :: life[n] == started && losses > 0 -> losses--; lost = 1; NOTE(3)
        fi;
#ifndef F_TWO_TRANSACTIONS
        invariants()
#endif
        }
#ifdef F_TWO_TRANSACTIONS
        ; if :: made -> atomic {
            if
            :: life[n] != started -> out = DEAD; invariants()
            :: else -> session[mine] = ALIVE; of_token[mine] = t; of_browser[mine] = b; opened[t]++; made = 0
            fi }
        :: else fi
#endif
        ;
        if :: out != DEAD && lost -> atomic {
            /* Asked once more. */
            out = OPEN; lost = 0;
            if
            :: life[n] != started -> out = DEAD
            :: life[n] == started -> transact(n, b, t); invariants()
            :: life[n] == started && losses > 0 -> losses--; out = UNDECIDED; NOTE(fault + 1)
            fi }
        :: else fi
    :: else fi;
    /* The answer. */
    atomic {
        if
        :: out == GIVEN && life[n] == started ->
            /* §16.5, §7: what was over when the request came is not given. */
            assert((over & (1 << give)) == 0);
            assert(of_browser[give] == b);                              /* §4.3: it is this browser's own */
            remember(n, give);
            cookie[b] = give; retry[BY(b, t)] = 0
        :: out == GIVEN && life[n] != started -> out = DEAD
        :: out == UNDECIDED ->
#ifdef F_503_WITHOUT_RETRY
            skip
#else
            retry[BY(b, t)] = mine
#endif
        :: else
        fi;
        /* §4.3, §11: a 503 has consumed nothing, or the browser can have it. */
        assert((out != UNAVAILABLE && out != UNDECIDED) || !made || retry[BY(b, t)] == mine);
        made = 0; give = 0; seen = 0; over = 0; lost = 0; mine = 0; yes = 0; started = 0; held = 0
    }
}

#define LOCALS byte out, give, started, k, mine, held; short over; bit made, seen, lost, yes

#ifndef TRACE

#define EITHER(n) if :: n = 0 :: n = 1 fi

/* The user's browser: opens a link, and again after a 503 or a crash. */
proctype user() {
    LOCALS;
    byte n, first;
    request(n, 0, 0, 1);
    first = out;
    if
    :: out == UNDECIDED || out == UNAVAILABLE || out == DEAD ->
        EITHER(n);
        request(n, 0, 0, 2);
        /* §4.3: whoever comes back with what the 503 left is served, unless something ended it. */
        assert(out != REFUSED || replayed[0] || token[0] == REVOKED || app_over || !recent[0]);
#ifdef ALONE
        assert(first != UNDECIDED || (out != REFUSED && out != LANDED))
#endif
    :: else
    fi
}

/* The same link once more by the same browser, or the other link: taps at any time. */
proctype tap() {
    LOCALS;
    byte n, t;
    atomic { EITHER(n); EITHER(t) };
    request(n, 0, t, 3)
}

/* Somebody else who has the first link. */
proctype thief() {
    LOCALS;
    request(1, 1, 0, 4);
    assert(cookie[1] == 0 || of_browser[cookie[1]] == 1)        /* §4.3: nobody is given another browser's session */
}

/* The app takes the token back, or its session ends. */
proctype app() {
    byte k;
    if
    :: atomic {
        if
        :: token[0] == PENDING -> token[0] = REVOKED; revocation_answered[0] = 1
        :: else
        fi; invariants() }
    :: atomic {
        app_over = 1;
        end_session(opened_as[0]); end_session(opened_as[1]); invariants() }
    :: skip
    fi
}

/* A website's page asks a node whether a cookie's session lives: WebSessions.lookUp, reading and keeping apart. */
proctype page() {
    byte s, read, started; bit yes;
    atomic { started = life[0]; if :: s = 1 :: s = 2 fi; believed(0, s);
        if :: yes -> read = 0 :: else -> read = (session[s] == ALIVE) fi; yes = 0 };
    atomic {
        if :: read && life[0] == started -> remember(0, s) :: else fi; read = 0 };
    atomic { believed(0, s); yes = 0 }
}

/* Time, news, crashes, a Redis that is emptied. */
proctype world() {
    byte ticks, n, k;
    do
    :: atomic { ticks < TICKS ->
        ticks++;
        /* In each half second a node reads the news, or believes its cache no more. */
        n = 0;
        do
        :: n < NN ->
            if
            :: refresh(n)
            :: fresh[n] = refreshed[n]
            fi;
            refreshed[n] = 0; n++
        :: else -> break
        od;
        n = 1;
        do
        :: n < NS -> if :: session[n] == ENDED && age[n] < 2 -> age[n]++ :: else fi; n++
        :: else -> break
        od; n = 0 }
    :: atomic { recent[0] -> recent[0] = 0; recent[1] = 0 }
    :: atomic { crashes > 0 -> crashes--; EITHER(n); crash(n); n = 0 }
    :: atomic { forgets > 0 && (claimed[0] || claimed[1]) -> forgets--; claimed[0] = 0; claimed[1] = 0 }
    :: ticks >= TICKS -> break
    od
}

init {
    atomic {
        run user(); run world();
#ifdef TAP
        run tap();
#endif
#ifdef THIEF
        run thief();
#endif
#ifdef APP
        run app();
#endif
#ifdef PAGE
        run page();
#endif
    }
}

#ifdef LTL
/* §4.3 */
ltl once { [] (opened[0] <= 1 && opened[1] <= 1) }
/* §16.5 */
ltl replay_ends { [] (replayed[0] -> [] (session[opened_as[0]] != ALIVE)) }
/* §7 */
ltl over_is_over { [] (session[1] == ENDED -> [] (session[1] == ENDED)) }
#endif

#else

/* One run, request after request; replayed against the service. */
init {
    LOCALS;
    byte steps, n, b, t;
    do
    :: steps < 14 ->
       steps++;
       select(n : 0 .. 1); select(b : 0 .. 1); select(t : 0 .. 1);
       if
       :: true; ask: minted + 1 < NS ->
          minted++; forgets = 0; fault = 0;
          if :: losses = 0 :: losses = 0 :: losses = 2 fi;
          request(n, b, t, minted);
          printf("@ open %d %d %d %d %d %d %d\n", n, b, t, fault, out, session[opened_as[0]], session[opened_as[1]])
       :: minted + 1 < NS -> goto ask
       :: minted + 1 < NS -> goto ask
       :: recent[0] || recent[1] -> recent[0] = 0; recent[1] = 0; printf("@ late\n")
       :: crash(n); printf("@ restart %d\n", n)
       :: claimed[0] || claimed[1] -> claimed[0] = 0; claimed[1] = 0; printf("@ forget\n")
       :: token[t] == PENDING && steps > 4 -> token[t] = REVOKED; printf("@ revoke %d 1\n", t)
       :: token[t] == REDEEMED -> printf("@ revoke %d 0\n", t)
       :: steps > 8 && !app_over ->
          app_over = 1; end_session(opened_as[0]); end_session(opened_as[1]); printf("@ end\n")
       :: cookie[b] != 0 -> refresh(n); printf("@ look %d %d %d\n", n, b, session[cookie[b]])
       fi
    :: steps >= 14 -> break
    od
}
#endif
