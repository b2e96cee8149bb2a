BEGIN TRANSACTION;
CREATE TABLE account (
    subject TEXT NOT NULL PRIMARY KEY, username TEXT, username_key TEXT UNIQUE,
    display_name TEXT, email TEXT, password_hash TEXT, role TEXT,
    second_factor TEXT, second_factor_step BIGINT, created_at BIGINT NOT NULL,
    password_changed_at BIGINT NOT NULL, claims TEXT, claims_changed_at BIGINT) WITHOUT ROWID;
INSERT INTO "account" VALUES('A5KQvX3KXFDG6xHvBAa-ew','alice','alice','Alice','alice@example.com','$scrypt$ln=14,r=8,p=5$wl5U_NX9TNujirmfU1Wj3w$PXFSeuGrBlMV1aE_exJxPxgOKu_qwH0fmF0ZVBwGoms',NULL,NULL,NULL,1795345213059,1795345213059,NULL,NULL);
CREATE TABLE admin_session (
    secret_digest TEXT NOT NULL PRIMARY KEY, actor TEXT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE app_session (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    scope TEXT NOT NULL, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT, amr TEXT,
    browser_session_id TEXT, device_secret_id TEXT, parent_id TEXT, requested_claims TEXT,
    wants_logout_notice BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    ended_at BIGINT);
CREATE TABLE app_user (
    subject TEXT NOT NULL PRIMARY KEY, issuer TEXT NOT NULL, first_seen_at BIGINT NOT NULL,
    disabled_at BIGINT) WITHOUT ROWID;
INSERT INTO "app_user" VALUES('A5KQvX3KXFDG6xHvBAa-ew','drawbridge',1795345213059,NULL);
INSERT INTO "app_user" VALUES('bob','https://backend.example',1795345215623,NULL);
INSERT INTO "app_user" VALUES('carol','https://backend.example',1795345216850,NULL);
CREATE TABLE audit_checkpoint (
    node TEXT NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash TEXT NOT NULL,
    note TEXT NOT NULL, PRIMARY KEY (node, size)) WITHOUT ROWID;
INSERT INTO "audit_checkpoint" VALUES('main',11,1795345216860,'lC7ruTReybPh4ifRyyp9x_o8CC2sw9eOjHcLAJ-6VqM','127.0.0.1:20000/drawbridge/main
11
lC7ruTReybPh4ifRyyp9x/o8CC2sw9eOjHcLAJ+6VqM=
time 2026-11-22T11:00:16.860Z

— 127.0.0.1:20000/drawbridge g/z/VJilpDu3bFQLpRFqBeOzm/CYEvTym6Lg1IfHPcKYPDt+JuQVYSGOAUC9gbd0s6TQY4LUhUkazZYB2TWlwitXyAU=
');
INSERT INTO "audit_checkpoint" VALUES('main-cli',1,1795345213084,'njvxxuA9qBZ2nFNd7jSPkPkaEyiyLMtjuenN4waYAO8','127.0.0.1:20000/drawbridge/main-cli
1
njvxxuA9qBZ2nFNd7jSPkPkaEyiyLMtjuenN4waYAO8=
time 2026-11-22T11:00:13.084Z

— 127.0.0.1:20000/drawbridge g/z/VFEIKd/O9WOvtGlKQtZ2F7iCqSUdooB/GybHturf3Ds82K5Y/O1a9/W1EGUi5qokC7t4PZThhC5e94b/DpNhhA4=
');
INSERT INTO "audit_checkpoint" VALUES('main-cli',5,1795345215841,'XSJFpLyeU1nvilfl7MWQgc5fvtToeMYM6vc4oDja-Ks','127.0.0.1:20000/drawbridge/main-cli
5
XSJFpLyeU1nvilfl7MWQgc5fvtToeMYM6vc4oDja+Ks=
time 2026-11-22T11:00:15.841Z

— 127.0.0.1:20000/drawbridge g/z/VL5mkCPBqkrWTgQyxNGUpOF2kn7UdrlQYpBtadLgWX7mHhMU11WTk10fA6GA2pysnZgoTFKO1rue/kuqoQNKnQo=
');
CREATE TABLE audit_event (
    node TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL,
    outcome TEXT NOT NULL, reason TEXT, subject TEXT, client_id TEXT,
    target_client_id TEXT, session_id TEXT, token_id TEXT, address TEXT,
    user_agent TEXT, request_id TEXT, detail TEXT, previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL, PRIMARY KEY (node, sequence)) WITHOUT ROWID;
INSERT INTO "audit_event" VALUES('main',1,1795345213146,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"ES256","kid":"ksfR0JNcDy1z5yHuxd1oHfMIh20ygSnTr6dxTK5t-iI"}','AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA','NI_pRL2qdgLEd-YlU0upBLY5VwxwPI6GmVM6AFWNJqQ');
INSERT INTO "audit_event" VALUES('main',2,1795345213310,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"RS256","kid":"S-hq_FCw1crcs9O_BwNdMRByGUabElG_1g9yn-rZezc"}','NI_pRL2qdgLEd-YlU0upBLY5VwxwPI6GmVM6AFWNJqQ','shji1gsgVONhoR7OgKDBP4zKuhpRbVN4scVXCB3BKqY');
INSERT INTO "audit_event" VALUES('main',3,1795345213312,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"EdDSA","kid":"5EF2kLVuxSwPtK8ss9XHlqL9b8eA9H9K4lzQQdhhiJQ"}','shji1gsgVONhoR7OgKDBP4zKuhpRbVN4scVXCB3BKqY','M92WccvBMxLXpG4moK_os93UBcQPfkEc18YgCU6Xklo');
INSERT INTO "audit_event" VALUES('main',4,1795345215597,'node.started','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'M92WccvBMxLXpG4moK_os93UBcQPfkEc18YgCU6Xklo','bjBEAQW3DR364EY-3NWczMxtyBxDCr0lb7lXiVNhgUg');
INSERT INTO "audit_event" VALUES('main',5,1795345215623,'login_token.issued','success',NULL,'bob','app','web',NULL,'T_MmjV4Qdnkf4U9LKtjyyg','127.0.0.1',NULL,'AaIC6fCG8eHbYLPGfLIq',NULL,'bjBEAQW3DR364EY-3NWczMxtyBxDCr0lb7lXiVNhgUg','99PmxEGY2BXMp6UxxVq05gjCdnxt-BQ6K4vmVv69LxM');
INSERT INTO "audit_event" VALUES('main',6,1795345215628,'login_token.redeemed','success',NULL,'bob','app','web','AaIC6fCMXT_6VlT66F45prENIaRxaw','T_MmjV4Qdnkf4U9LKtjyyg','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIC6fCMjp6Z0nUM51wD',NULL,'99PmxEGY2BXMp6UxxVq05gjCdnxt-BQ6K4vmVv69LxM','tG-rDIzsnMM4JN6NEIESZcFDXug1kRsInolc5IFyK8U');
INSERT INTO "audit_event" VALUES('main',7,1795345215628,'web_session.opened','success','login_token','bob','app','web','AaIC6fCMXT_6VlT66F45prENIaRxaw','T_MmjV4Qdnkf4U9LKtjyyg','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIC6fCMjp6Z0nUM51wD',NULL,'tG-rDIzsnMM4JN6NEIESZcFDXug1kRsInolc5IFyK8U','nS4m8ss0NshJGmAcWgAkuGIzzANK6APg-aqfK6u9gJc');
INSERT INTO "audit_event" VALUES('main',8,1795345216850,'login_token.issued','success',NULL,'carol','app','web',NULL,'sLBGYqolJvHaJdr566vxdA','127.0.0.1',NULL,'AaIC6fVRvGZifCBIMlvg',NULL,'nS4m8ss0NshJGmAcWgAkuGIzzANK6APg-aqfK6u9gJc','A5r1Ps1pP2TEisMRaYUZ5BLIQuM10hnLPJxEtoWs_-Q');
INSERT INTO "audit_event" VALUES('main',9,1795345216854,'login_token.redeemed','success',NULL,'carol','app','web','AaIC6fVWlxcq0UWuLj_7HTBddGoa5g','sLBGYqolJvHaJdr566vxdA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIC6fVW_j1KxvrZ3SCC',NULL,'A5r1Ps1pP2TEisMRaYUZ5BLIQuM10hnLPJxEtoWs_-Q','OmKwWRRvakduhJY9YHgACjQxlljjHMi5nF13qKV4Gwg');
INSERT INTO "audit_event" VALUES('main',10,1795345216854,'web_session.opened','success','login_token','carol','app','web','AaIC6fVWlxcq0UWuLj_7HTBddGoa5g','sLBGYqolJvHaJdr566vxdA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIC6fVW_j1KxvrZ3SCC',NULL,'OmKwWRRvakduhJY9YHgACjQxlljjHMi5nF13qKV4Gwg','d62xO-5xfIYU7maroAqJKVF2bpsiMKLL5c8bQNNDEKw');
INSERT INTO "audit_event" VALUES('main',11,1795345216859,'node.stopped','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'d62xO-5xfIYU7maroAqJKVF2bpsiMKLL5c8bQNNDEKw','lC7ruTReybPh4ifRyyp9x_o8CC2sw9eOjHcLAJ-6VqM');
INSERT INTO "audit_event" VALUES('main-cli',1,1795345213059,'user.created','success',NULL,'A5KQvX3KXFDG6xHvBAa-ew',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA','njvxxuA9qBZ2nFNd7jSPkPkaEyiyLMtjuenN4waYAO8');
INSERT INTO "audit_event" VALUES('main-cli',2,1795345215673,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"dropped":[],"kid":"vDVidDWhQZ65","signs_from":"2026-11-22T11:00:15.673Z"}','njvxxuA9qBZ2nFNd7jSPkPkaEyiyLMtjuenN4waYAO8','FSoc4rvb-1Nmc0JS5II9MYpsFjk41gEJqvKKFhvLxQM');
INSERT INTO "audit_event" VALUES('main-cli',3,1795345215673,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"ES256","kid":"w3KrJcQ62lh9FVQpXMPn0Jr3doYMbKonS5AHEpEXvyA"}','FSoc4rvb-1Nmc0JS5II9MYpsFjk41gEJqvKKFhvLxQM','z1xBPXtJmnkngDbg1H7wR6B-4kzsNPeif3GknXpbzRk');
INSERT INTO "audit_event" VALUES('main-cli',4,1795345215673,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"RS256","kid":"mKAg62Thi7eukMfL405lXWuQstIIK_FiZHZPAUAF1sc"}','z1xBPXtJmnkngDbg1H7wR6B-4kzsNPeif3GknXpbzRk','3S5VO1l9FbwS_aBKo4yp7ckezhv5afOlyM_5DCE0SIc');
INSERT INTO "audit_event" VALUES('main-cli',5,1795345215673,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"EdDSA","kid":"hwRlZqUfe-Ooka2rY33xoDsNoQW1QSUg_YfpOZuvhFU"}','3S5VO1l9FbwS_aBKo4yp7ckezhv5afOlyM_5DCE0SIc','XSJFpLyeU1nvilfl7MWQgc5fvtToeMYM6vc4oDja-Ks');
CREATE TABLE audit_forward (
    target TEXT NOT NULL, node TEXT NOT NULL, sequence BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (target, node)) WITHOUT ROWID;
CREATE TABLE audit_tally (
    at BIGINT NOT NULL, node TEXT NOT NULL, type TEXT NOT NULL, outcome TEXT NOT NULL,
    reason TEXT NOT NULL, events BIGINT NOT NULL,
    PRIMARY KEY (at, node, type, outcome, reason)) WITHOUT ROWID;
CREATE TABLE audit_tally_progress (
    node TEXT NOT NULL PRIMARY KEY, sequence BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE authorization_code (
    digest TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL,
    code_challenge TEXT, nonce TEXT, scope TEXT NOT NULL, subject TEXT NOT NULL,
    auth_time BIGINT, acr TEXT, amr TEXT, browser_session_id TEXT, requested_claims TEXT,
    proof_key TEXT, issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, misses BIGINT NOT NULL,
    redeemed_at BIGINT, session_id TEXT);
CREATE TABLE client (
    client_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE consent (
    subject TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
    granted_at BIGINT NOT NULL, PRIMARY KEY (subject, client_id)) WITHOUT ROWID;
CREATE TABLE demo_material (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE device_secret (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    session_id TEXT NOT NULL, name TEXT, platform TEXT, created_at BIGINT NOT NULL,
    last_used_at BIGINT, use_count BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    key_thumbprint TEXT, revoked_at BIGINT, revoke_reason TEXT);
CREATE TABLE device_secret_digest (
    digest TEXT NOT NULL PRIMARY KEY, device_secret_id TEXT NOT NULL, issued_at BIGINT NOT NULL,
    replaced_at BIGINT, overlap_used_at BIGINT);
CREATE TABLE first_signing_key (algorithm TEXT NOT NULL PRIMARY KEY, key_id TEXT NOT NULL);
INSERT INTO "first_signing_key" VALUES('ES256','ksfR0JNcDy1z5yHuxd1oHfMIh20ygSnTr6dxTK5t-iI');
INSERT INTO "first_signing_key" VALUES('RS256','S-hq_FCw1crcs9O_BwNdMRByGUabElG_1g9yn-rZezc');
INSERT INTO "first_signing_key" VALUES('EdDSA','5EF2kLVuxSwPtK8ss9XHlqL9b8eA9H9K4lzQQdhhiJQ');
CREATE TABLE heartbeat (node TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL) WITHOUT ROWID;
INSERT INTO "heartbeat" VALUES('main',1795345215618);
CREATE TABLE idempotency_key (
    key_digest TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, token_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL, payload TEXT NOT NULL, expires_at BIGINT NOT NULL);
CREATE TABLE login_token_use (
    token_id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')),
    misses BIGINT NOT NULL, used_at BIGINT, session_id TEXT, address TEXT,
    agent_digest TEXT);
INSERT INTO "login_token_use" VALUES('T_MmjV4Qdnkf4U9LKtjyyg','bob','app',1795345215000,1795345275000,'redeemed',0,1795345215628,'AaIC6fCMXT_6VlT66F45prENIaRxaw','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
INSERT INTO "login_token_use" VALUES('sLBGYqolJvHaJdr566vxdA','carol','app',1795345216000,1795345276000,'redeemed',0,1795345216854,'AaIC6fVWlxcq0UWuLj_7HTBddGoa5g','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
CREATE TABLE logout_notice (
    id TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, subject TEXT NOT NULL,
    session_id TEXT NOT NULL, created_at BIGINT NOT NULL, attempts BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL);
CREATE TABLE pushed_request (
    digest TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, parameters TEXT NOT NULL,
    expires_at BIGINT NOT NULL, used_at BIGINT);
CREATE TABLE recovery_code (
    subject TEXT NOT NULL, digest TEXT NOT NULL, used_at BIGINT,
    PRIMARY KEY (subject, digest)) WITHOUT ROWID;
CREATE TABLE refresh_token (
    digest TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, scope TEXT NOT NULL,
    proof_key TEXT, issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, rotated_at BIGINT,
    successor_digest TEXT);
CREATE TABLE revoked_token (
    token_id TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE schema_migration (
    version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'users, clients, login tokens, sessions, audit',1795345213075);
INSERT INTO "schema_migration" VALUES(2,'codes, app sessions, refresh tokens, signing keys',1795345213075);
INSERT INTO "schema_migration" VALUES(3,'accounts, second factors, consent, pushed requests',1795345213075);
INSERT INTO "schema_migration" VALUES(4,'device secrets, settings, refresh cookies',1795345213075);
INSERT INTO "schema_migration" VALUES(5,'administration, audit by address, session and token',1795345213075);
INSERT INTO "schema_migration" VALUES(6,'audit by user, first signing keys, a demo''s secrets',1795345213075);
INSERT INTO "schema_migration" VALUES(7,'webhooks of websites',1795345213075);
INSERT INTO "schema_migration" VALUES(9,'audit forwarding',1795345213075);
INSERT INTO "schema_migration" VALUES(10,'standard claims of accounts',1795345213075);
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE signing_key (
    id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, sealed_key TEXT NOT NULL,
    public_key TEXT NOT NULL, created_at BIGINT NOT NULL, signs_from BIGINT NOT NULL,
    retires_at BIGINT);
INSERT INTO "signing_key" VALUES('ksfR0JNcDy1z5yHuxd1oHfMIh20ygSnTr6dxTK5t-iI','ES256','k0XXmDKdBJ7G92nFv9lf3dgB6Hnyvwb1pprl4AOFSK60QAZK4F9MNtc15_HbjqnynMMoOcxCEoxfhPea','{"alg":"ES256","crv":"P-256","kid":"ksfR0JNcDy1z5yHuxd1oHfMIh20ygSnTr6dxTK5t-iI","kty":"EC","use":"sig","x":"HDvfxbWACWhnTDo8sskuBqXdyHqCiT3SLc8GEdmIV0w","y":"LfryWFlZES3_fcxFKPHNM8Rug4RSAmC9JQAowIjKPuo"}',1795345213146,1795345213146,1795435215673);
INSERT INTO "signing_key" VALUES('S-hq_FCw1crcs9O_BwNdMRByGUabElG_1g9yn-rZezc','RS256','Rv1gvRC2-Rqdr9IziEu2pct0kyaonYgjebPHLqOXzBNqjgasC-csLBAi5kO7UVrb3O0d50unBYfmDrp4kDdFuKOutS6dJfo1TZHqS6vWAeIkdyoMnSyaNoiV-frzSUAHR9N-KYkyL_AECgigq8qjASrVG8_t2VLlpkpa71nnaGS54mgwcx39phGdj3LJr_SjNAYW5gTS8aBlg_SOh1DwTBXIbFFschJi0lh6ePH4_XP0l_FsHs8h8BNp3EELp5et-0VeG3MRuOgcVcvPc6W3jHtA65bZ8PLYUYfBoNl1UbOBqK52IAkz04xnsbxndy8rtTFeB7-AdYrVGZ4oIj2pqKYbO28qHoA56J7ZBEX3_CHaCCXIZed0dj6dSnwxJfbVUCSKnPzUn1yCTgHaiC7vY1_XYr4DEEec6Wr1MFHnI0DMujgGzlNGLLX5yJ-KWh621JStSdBe1Htc4_ruaYYp0kd7JTqgSrGiIHdQi6WBXOfrmElTF6RqtieQAMzGsLPQn5IHIq4h5qmt87z52hqx_QU7n3p5knArodXkiVrb3sxAsRa9WX11SF5OoYM6IXsthSXAKeTn103lmKu68exSy4lCn16NagEr1FE3W2SlRW9sIp8IS0qcNSnuNSfI7Afg5WTDq5_x1WIjiEmcfODTXPpv8yj9R4hL9KNkH_Sg_gOXsUyweMKw-CS0c8OI_IDJoA4pjv-jOw2ePdukkRAlwEU4p3gtUhSiwPCQRabLsPFwSKpEx9xS_XZIzPWapoIcgDpEoTk0E8HmZAoVJJ9QjRK8iubiLxSYu1i5ECTHtpLbdcUXihS1tIxZPXZ57HGm37s-_CgLQbi3Xd2ONZMM_lGlWWFlpBcnaRyvrOgoPUuIqbzburGOm45nqotD_cP_-mT0mk0Bjkk3yXRw1JmcXQS-AC1o_qQNzcXJmSh0T6GZOWNtj0YRsPMaMTmw_8qRS9UDke1VJQwszwFD8GRZH9uakYvj5QqUC0CM4unDM71a-2r213XhGjGWDedHVcaSIH6-XjpEN4FxNnszAjbKRl6sm5-fZ-qMOyLOsOyXbeDeZh3tqAbctx7YKdXtN201zEQYpSSx95UWALiOUV0I4Yicy9FZ74uxQE7_qSPlcIzZ40lVjSOfYtO6XJRv82pf7FtJ4CD-avpidCtzXK0G8pwGuC4PGCgDPFTjvyPRrd--4kqoua1Itourh65k3jOCxt7120dohFe68HGCQWPPszI0hV0JspeEXM1JiGJqOwgAvyAgx2GAeepRzNmJ-ssR5EkGX0-pAZ-r19Zu2zSoH-O9QwAkI08vVeS3XRoxp7sNYQflp0fj_EwY4oq0m-1H31uEd2csykhFq1Av3oBV3cOmjUYpQyH4TV2fKvEqAhw9A01hSLnp5F4hpzz1qfYVYxmhZgJ67p9dq7OrxgD6S8SClqqGy-9i7ndOCM_E1Uou7hVhcbimHkOftqJYAw2GaLJKl0ZHhGW8Cd6TvrpxL7eYWNdveqVYnRTHBPx47O55CyeVgbtmeueei7jjwupYpKb6a_JuHAiKlMquIu29mpcAC-6nkhZVYD6FZ76q28T1taXXMv0J4gwCafSzDTVQwtkW51V_A9SFeUHlKoGIlLI','{"alg":"RS256","e":"AQAB","kid":"S-hq_FCw1crcs9O_BwNdMRByGUabElG_1g9yn-rZezc","kty":"RSA","n":"sO3Qte-9_Yhw325SwstW9YZaiRVVnP2DJVEk4RMoO0JV5I4Zze3AXO4kXXs8IMp_unVlAvq5smYYsI4LyG94_nBhJ7f_KL_BZnkZ4OT37GwIza_KTFi9aQiD0myy7mIxlz9Eg9Vb_-oqQvgxUFthH4Nlc4OhK8-C_G5enfHavUb34wxCwbqcACkzlYmqzH1KllS3dBA-pVVBRjEteviW_pSVfA_zvo3aLiUfiYSsJtoF8_PhkqnB17EmiMcYhfSrdbWyTXDm5iy0G9FSti0FAimNKUM7FxzGD0IW7oKE1Kkl7rvs-nIHM5uwKxcnjCPgJhzAEBi-BD-bOJoxhxTTnQ","use":"sig"}',1795345213310,1795345213310,1795435215673);
INSERT INTO "signing_key" VALUES('5EF2kLVuxSwPtK8ss9XHlqL9b8eA9H9K4lzQQdhhiJQ','EdDSA','BBw1LSWStidoTcMn9kg20ebCZDQqp1uR2YkMm_Q9JJKIxX6xI--pxeRWzSt1FT3u7QHlm_Om3U7Zb3PJ','{"alg":"EdDSA","crv":"Ed25519","kid":"5EF2kLVuxSwPtK8ss9XHlqL9b8eA9H9K4lzQQdhhiJQ","kty":"OKP","use":"sig","x":"x9Sr0t-_ZHLbdIXx8HkjkyhCdeMpWagGjtovER-nBkc"}',1795345213312,1795345213312,1795435215673);
INSERT INTO "signing_key" VALUES('w3KrJcQ62lh9FVQpXMPn0Jr3doYMbKonS5AHEpEXvyA','ES256','g2joB_W6-anZnF3v7Xo4IVJZczTArDfDfpia8GRMV-XN4gqm9PjTPOIA_Jv18STQy3embEDtzyZNrbhb','{"alg":"ES256","crv":"P-256","kid":"w3KrJcQ62lh9FVQpXMPn0Jr3doYMbKonS5AHEpEXvyA","kty":"EC","use":"sig","x":"3aXOpj1P4_fgrvvXAV8u8eJSfQZYVOCrSwyHokXOXWM","y":"MwqrVeSHQIB2-v4KwOeQtczsdtB4gatRhTjVHS02LX0"}',1795345215673,1795348815673,NULL);
INSERT INTO "signing_key" VALUES('mKAg62Thi7eukMfL405lXWuQstIIK_FiZHZPAUAF1sc','RS256','a9h0tW9MRDO-hHovpM7GL-dJ9pL0XpknsnSzZPr1zL-7V7nlD7zlWnhD-qoYts-9NQpR8lRZyEFgyrzTLr2u3m_XoNxKlCyKFvlOhd24pj1VxjMmRpfYCbmGLMHxRwloGJAXDaIRiC3bWMsK-qwkrA3F_S1_58jLzfj5Q65hkjEFzw16jQYWFWhLFTaY-1P7E5CBXp1zPt-Zp6gAsZHfnG5c2vRNFU3NL9mafnVBi70cPsrGnL9IPAq8S4lGgIUpru4N5-GZtmUdajC-DI5uNtW91-LOEfOl1OE8qU_nJ6y05R0frRO_3v0cu5fHfKrh_yTOLgjFrv0EhcYnEvDR5KgR6cBtV44GLfo0jVJ0CO5_ZRcJrK6-k8Whk2ywuinSCa5PgujX_7YxJmniiu5MMNVAU37r6GV6_W7GyLGQ7V8nbNW2s3_DOIEQJIaaeT7xMs0Fe6d8Tnx3oi7nVZO6OuZQE5mYQBbNKs2ZUQ5XN8iX3eDedsZRt1tNWbkdBO4rqpRtuLLEvmGhG5g7sFnauj_5_79P_7quZ8SsX467s23cQKzfyaHRe6YyqV6TArQdNrm98VG5y2K7IK86G5QAjgNW7mc2EuuAYZA0uUgs39OXAvqdn2wfGYXB0A-4_FoVc_pdLJMH9jEm3gC5JVFD4npO1t_j2OHIA5ytn3exn8wZ-QIsooJQke_WM_4jaKSix-ecZLNwR0gANEbRjR0sEDGOJ24bfmXMIW6k2ZloTjdmNGF6TewBERR_ggeKWMBu95ZrHmn9kR_zcnfewsuG9no3mAB-DDz1D2bb1URHNK8AeE9iNtO8tc-ph84THKMB1JdC22E-GJ_ZtHZp9dQwcbCwVxf9Q3nMDMDhrqnyn_fsZFyWNnbag21JVkvjcGtZYetLxD13TrscBJ0tyrGLj5Ek93g6uAX39WS5un_ggWBsYtQTFzckpzNRGgEu2XS4uEeBLmHXcgp9Sw5ZcNhNa5sfDqIVzjR3aoC0-cBs_h-g0GHFlLclBxRHbxtRXe08yiaz-BUJqAtcs63uT8WCHhSSUAtAmKvwcjbjn8TPJLjuUj4-3oqw8J9gtB-rYHruTWYSo9yYkYyTgntTx8AwT3KiHrbGonfyOCDrbJQ8tZ7K7T_5-he4ugr2YgxGCV_1IaYvY1nUp7hrItm0r3o_W9KhytUA63CTwPIKjIMdhkdXqoVtpIPwZxs2pxeZGKD4SfkSzmyvysRbhywxZlpVCTB1U8ZN25QfRGBr-kdirDBO5-HprmUh3QpocEtQ4p8kLJJnoI2psd2XWfCm0gEsB_GcFKD6ossZN5wmU_t1Xs8skv2K1QPr9XT2QjDjgeTU1VJAgIHSx-cyHhYKPb6hzDHUrxar31KvR0GAFKGIc3ZkUnqrUp0WEy5U7JHhUXLPA9xy0-vKdyFaYaOioUjil86N8e8jGnLith7zi7k2KNrpYKhacSB7qrukkY-MZRQVmEUG5TRJaRY_NqLWCG7sIdZ7OV2eoUCdAZgW1Bjz9jmUizspm2bIdNOXvwgdK-R1nWcpU8CzasSrR-vrO3u-AsotUGqmO2gtkQD_Q7AZNIlc4GTpsUjva0pxsfUfY-SstiBpiZakFLUHb1_WXOop_-B5lLk','{"alg":"RS256","e":"AQAB","kid":"mKAg62Thi7eukMfL405lXWuQstIIK_FiZHZPAUAF1sc","kty":"RSA","n":"v1S7rl_7QJRQ_AsBC1dWw8zp_X9ga_VI1xYImKzwbFZ-luvDlT5zl-4bTlmUQXW4xXp26_hD0jytw3F_0LrRkzTlLbgrDAv6lEWDpB00-Y93EjKoZ4o_1pPKjP-F-usCMCzwdojSjODt3AYv6SAWgV0d1ozPwyPgNVpDNsMbY1M9eArzowzXyM7rwBHMGJAoQooqHbWa9gHWe6FSKEXK82-Ocq4pG_C_XHxyvKBqBkuz1pjj6p3wKanp5usADn_RdVAPuoIb9kEtFVjgrwLH1Bcst0pLnGRxbOx36hELC1PhfuhiVrCIPIPOYYZGL4adWC3fXx1Cf6PnI453vF0l1w","use":"sig"}',1795345215673,1795348815673,NULL);
INSERT INTO "signing_key" VALUES('hwRlZqUfe-Ooka2rY33xoDsNoQW1QSUg_YfpOZuvhFU','EdDSA','ayITVtARqNyxOttYxHSG80RVUHN4qEX7lNgPHITFU6uen27_fUEXG8CAsVzLscKMDka7fItHROrfFEVp','{"alg":"EdDSA","crv":"Ed25519","kid":"hwRlZqUfe-Ooka2rY33xoDsNoQW1QSUg_YfpOZuvhFU","kty":"OKP","use":"sig","x":"0wDkYUgWQToWo1OfZ-JyPAQVklKtztjSEP6Qia8i2i8"}',1795345215673,1795348815673,NULL);
CREATE TABLE state_sample (
    name TEXT NOT NULL, at BIGINT NOT NULL, value BIGINT NOT NULL,
    PRIMARY KEY (name, at)) WITHOUT ROWID;
CREATE TABLE upstream_identity (
    issuer TEXT NOT NULL, external_subject TEXT NOT NULL, subject TEXT NOT NULL,
    linked_at BIGINT NOT NULL, PRIMARY KEY (issuer, external_subject)) WITHOUT ROWID;
CREATE TABLE web_session (
    id TEXT NOT NULL PRIMARY KEY, secret_digest TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL, client_id TEXT NOT NULL, app_client_id TEXT, parent_id TEXT,
    login_token_id TEXT, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT,
    amr TEXT, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, idle_lifetime BIGINT NOT NULL, last_seen_at BIGINT NOT NULL,
    ended_at BIGINT, login_token_issued_at BIGINT,
    UNIQUE (login_token_issued_at, login_token_id));
INSERT INTO "web_session" VALUES('AaIC6fCMXT_6VlT66F45prENIaRxaw','AKuEjheSPPHAJntInpk_POrrMq0g4Nh0uLR2UVSZiYg','bob','web','app',NULL,'T_MmjV4Qdnkf4U9LKtjyyg','login_token',NULL,NULL,NULL,1795345215628,1795388415628,1800000,1795345215628,NULL,1795345215000);
INSERT INTO "web_session" VALUES('AaIC6fVWlxcq0UWuLj_7HTBddGoa5g','HpAFGNo9gYXM5leBvjpdx1WkxTeWUIcmiEO3RO1T0Ig','carol','web','app',NULL,'sLBGYqolJvHaJdr566vxdA','login_token',NULL,NULL,NULL,1795345216854,1795388416854,1800000,1795345216854,NULL,1795345216000);
CREATE TABLE web_session_refresh (
    digest TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, parent_digest TEXT,
    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT, is_void BIGINT NOT NULL);
CREATE TABLE webhook_notice (
    id TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, kind TEXT NOT NULL,
    subject TEXT NOT NULL, object_id TEXT NOT NULL, reason TEXT, ended_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL, next_attempt_at BIGINT NOT NULL);
CREATE TABLE webhook_subscriber (client_id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX login_token_use_expiry ON login_token_use (expires_at);
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at);
CREATE INDEX web_session_subject ON web_session (subject);
CREATE INDEX web_session_expiry ON web_session (expires_at);
CREATE INDEX web_session_end ON web_session (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX audit_event_time ON audit_event (at, node, sequence);
CREATE INDEX authorization_code_expiry ON authorization_code (expires_at);
CREATE INDEX app_session_subject ON app_session (subject);
CREATE INDEX app_session_expiry ON app_session (expires_at);
CREATE INDEX app_session_browser ON app_session (browser_session_id) WHERE browser_session_id IS NOT NULL;
CREATE INDEX app_session_device ON app_session (device_secret_id) WHERE device_secret_id IS NOT NULL;
CREATE INDEX app_session_parent ON app_session (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX web_session_parent ON web_session (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
CREATE INDEX revoked_token_expiry ON revoked_token (expires_at);
CREATE INDEX logout_notice_due ON logout_notice (next_attempt_at);
CREATE INDEX pushed_request_expiry ON pushed_request (expires_at);
CREATE INDEX device_secret_subject ON device_secret (subject);
CREATE INDEX device_secret_expiry ON device_secret (expires_at);
CREATE INDEX device_secret_digest_device ON device_secret_digest (device_secret_id);
CREATE INDEX web_session_refresh_session ON web_session_refresh (session_id);
CREATE INDEX web_session_refresh_expiry ON web_session_refresh (expires_at);
CREATE INDEX audit_event_address ON audit_event (address, at) WHERE address IS NOT NULL;
CREATE INDEX audit_event_session ON audit_event (session_id, at) WHERE session_id IS NOT NULL;
CREATE INDEX audit_event_token ON audit_event (token_id, at) WHERE token_id IS NOT NULL;
CREATE INDEX audit_event_rare_type ON audit_event (type, at) WHERE type NOT IN ('login_token.issued', 'login_token.redeemed', 'web_session.opened', 'web_session.ended', 'authorization_code.issued', 'authorization_code.redeemed', 'refresh_token.rotated', 'device_secret.issued', 'device_secret.exchanged', 'user.signed_in', 'access_token.issued', 'refresh_token.used', 'app_session.opened', 'app_session.ended', 'logout_notice.sent');
CREATE INDEX audit_event_subject ON audit_event (subject, at) WHERE subject IS NOT NULL;
CREATE INDEX webhook_notice_due ON webhook_notice (next_attempt_at);
COMMIT;
