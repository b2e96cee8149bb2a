BEGIN TRANSACTION;
CREATE TABLE account (
    subject TEXT NOT NULL PRIMARY KEY, username TEXT, username_key TEXT UNIQUE,
    display_name TEXT, email TEXT, password_hash TEXT, role TEXT,
    second_factor TEXT, second_factor_step BIGINT, created_at BIGINT NOT NULL,
    password_changed_at BIGINT NOT NULL, claims TEXT, claims_changed_at BIGINT) WITHOUT ROWID;
INSERT INTO "account" VALUES('admin','admin','admin','Admin','admin@example.com','$scrypt$ln=14,r=8,p=1$kJLNdnt-0VEIRqObRmp9gA$5-pQc4epygG-aVNhY4tY_5GoGqQ1lLGQTKz-43SxYxA','admin',NULL,NULL,1795422624952,1795422624952,'{"email_verified":true}',NULL);
INSERT INTO "account" VALUES('alice','alice','alice','Alice','alice@example.com','$scrypt$ln=14,r=8,p=1$Wl9xZhiOS-ujhNiIuWNnWw$3Ftciupa06l08_lF_nbl1rCj1xYyma34l24PI3r8Eoo',NULL,NULL,NULL,1795422624952,1795422624952,'{"email_verified":true}',NULL);
INSERT INTO "account" VALUES('bob','bob','bob','Bob','bob@example.com','$scrypt$ln=14,r=8,p=1$PLdPHyVxNAiKFc5MnCo7ww$Xh0ItxNUjQTdiYzxlKe8jBlFAM8hFzJxehdj3gHSkAQ',NULL,NULL,NULL,1795422624952,1795422624952,'{"email_verified":true}',NULL);
CREATE TABLE admin_session (
    secret_digest TEXT NOT NULL PRIMARY KEY, actor TEXT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL, token_id TEXT, client_id TEXT, session_id TEXT, signed_in_at BIGINT) WITHOUT ROWID;
CREATE TABLE app_session (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    scope TEXT NOT NULL, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT, amr TEXT,
    browser_session_id TEXT, device_secret_id TEXT, parent_id TEXT, requested_claims TEXT,
    wants_logout_notice BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    ended_at BIGINT, ancestry TEXT, granted_in TEXT);
INSERT INTO "app_session" VALUES('AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ','alice','demo-app','openid profile offline_access device_sso','authorize',1795422626548,'aal1','["pwd"]','AaIHhyL02dqWPb1uUNpztsYCOK5vRA','AaIHhyQHd6xKeP4CphiT3di2NGOOVQ',NULL,NULL,0,1795422626823,1803198626823,NULL,'authorize',NULL);
INSERT INTO "app_session" VALUES('AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg','alice','demo-app','openid profile offline_access device_sso','authorize',1795422626884,'aal1','["pwd"]','AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ','AaIHhyU74sQnhQsIlqgsVFjcrpAPmg',NULL,NULL,0,1795422627131,1803198627131,1795422627160,'authorize',NULL);
CREATE TABLE app_user (
    subject TEXT NOT NULL PRIMARY KEY, issuer TEXT NOT NULL, first_seen_at BIGINT NOT NULL,
    disabled_at BIGINT, login_tokens_void_until BIGINT) WITHOUT ROWID;
INSERT INTO "app_user" VALUES('admin','drawbridge',1795422624952,NULL,NULL);
INSERT INTO "app_user" VALUES('alice','drawbridge',1795422624952,NULL,NULL);
INSERT INTO "app_user" VALUES('bob','drawbridge',1795422624952,NULL,NULL);
INSERT INTO "app_user" VALUES('carol','https://backend.example',1795422626423,NULL,NULL);
CREATE TABLE audit_checkpoint (
    node TEXT NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash TEXT NOT NULL,
    note TEXT NOT NULL, PRIMARY KEY (node, size)) WITHOUT ROWID;
INSERT INTO "audit_checkpoint" VALUES('demo',41,1795422627206,'fKsmVIGM82aRsiUWdsVkJx3J75jgHR_S97YLiT9RLdE','localhost/drawbridge/demo
41
fKsmVIGM82aRsiUWdsVkJx3J75jgHR/S97YLiT9RLdE=
time 2026-11-23T08:30:27.206Z

— localhost/drawbridge Bk7/CZD1ySOEqShktyVEsRLCerQgBz1BfppgcD8wQxfJegxcnz+bYPZtEt0GPcVm7ViGXDxycqumrfUFm2Sd7Rqzjw8=
');
CREATE TABLE audit_cut (
    node TEXT NOT NULL, through BIGINT NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (node, through)) WITHOUT ROWID;
CREATE TABLE audit_event (
    node TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL,
    outcome TEXT NOT NULL, reason TEXT, subject TEXT, client_id TEXT,
    target_client_id TEXT, session_id TEXT, token_id TEXT, address TEXT,
    user_agent TEXT, request_id TEXT, detail TEXT, previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL, PRIMARY KEY (node, sequence)) WITHOUT ROWID;
INSERT INTO "audit_event" VALUES('demo',1,1795422624952,'user.created','success',NULL,'alice',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA','mz_NC3N_zJzT7-_toO1y_XtPkjpOyznAnQN5sTMOM1w');
INSERT INTO "audit_event" VALUES('demo',2,1795422624952,'user.created','success',NULL,'bob',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'mz_NC3N_zJzT7-_toO1y_XtPkjpOyznAnQN5sTMOM1w','cEwk0a65O8bCM-WspL67FpQ0VU56gDju5sZkx3tsc10');
INSERT INTO "audit_event" VALUES('demo',3,1795422624952,'user.created','success',NULL,'admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'cEwk0a65O8bCM-WspL67FpQ0VU56gDju5sZkx3tsc10','NScznTuYVuIJbOp4hrhrxaP-pQycqE0DMLMcLXGZiz4');
INSERT INTO "audit_event" VALUES('demo',4,1795422625448,'client.created','success','demo',NULL,'demo-app',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'NScznTuYVuIJbOp4hrhrxaP-pQycqE0DMLMcLXGZiz4','K9ruOxsFPZhAIR7a6hP5IzC6-dojokbi46whF-i--6A');
INSERT INTO "audit_event" VALUES('demo',5,1795422625450,'client.created','success','demo',NULL,'demo-app-b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'K9ruOxsFPZhAIR7a6hP5IzC6-dojokbi46whF-i--6A','e8TcOG8uIwwZXFX7qcvBGonxBuHZ_zL08n631D1HMZs');
INSERT INTO "audit_event" VALUES('demo',6,1795422625451,'client.created','success','demo',NULL,'demo-web',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'e8TcOG8uIwwZXFX7qcvBGonxBuHZ_zL08n631D1HMZs','3tSo_Xe6IRLTac4VQzh_63AhZ2AzMoLuvayUPcCJNKs');
INSERT INTO "audit_event" VALUES('demo',7,1795422625451,'client.created','success','demo',NULL,'demo-webview',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'3tSo_Xe6IRLTac4VQzh_63AhZ2AzMoLuvayUPcCJNKs','3Iblv3-ZgKvo3HX3UyFn3lF4ForVSrJx5OwKVKNYlfg');
INSERT INTO "audit_event" VALUES('demo',8,1795422625452,'client.created','success','demo',NULL,'demo-rp',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'3Iblv3-ZgKvo3HX3UyFn3lF4ForVSrJx5OwKVKNYlfg','ZuWaqoSFPCTBjZAMnEfFSOTfHxjT-Ta5QmGAos9wPRs');
INSERT INTO "audit_event" VALUES('demo',9,1795422625452,'client.created','success','demo',NULL,'demo-admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ZuWaqoSFPCTBjZAMnEfFSOTfHxjT-Ta5QmGAos9wPRs','ss7sZdNhgAWulmcBxCnfj4slIEbTIK2YdouhE-7GNYQ');
INSERT INTO "audit_event" VALUES('demo',10,1795422625463,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"HS256","kid":"QlusiwGwJlvI","signs_from":"2026-11-23T08:30:25.463Z"}','ss7sZdNhgAWulmcBxCnfj4slIEbTIK2YdouhE-7GNYQ','kbU0YEEIDXfmABYPPR0vX0yQVXX5XkQ1_IsR5zKZda0');
INSERT INTO "audit_event" VALUES('demo',11,1795422625463,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"ES256","kid":"w_kpwTIfvGE3_OdP6k5xD4nr1waD7KDpsQdMcqfSeKU","signs_from":"2026-11-23T08:30:25.463Z"}','kbU0YEEIDXfmABYPPR0vX0yQVXX5XkQ1_IsR5zKZda0','UwTOU9Xq3WPuQLNsA8T8L-PdNJaCmznyTgHFCcxorDo');
INSERT INTO "audit_event" VALUES('demo',12,1795422625463,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"RS256","kid":"-pnGOKpnaIzV9ssf77AmH6_PtL0blE3ecXDvW0RSS8o","signs_from":"2026-11-23T08:30:25.463Z"}','UwTOU9Xq3WPuQLNsA8T8L-PdNJaCmznyTgHFCcxorDo','ntt4u36B4BXVKf4s0CP7WDw1g0DFeo4S_sJmGIx5huw');
INSERT INTO "audit_event" VALUES('demo',13,1795422625463,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"EdDSA","kid":"vK1HfaUmbB1pns84uGGjGajn7_xv4yeRY43iCKA3JfM","signs_from":"2026-11-23T08:30:25.463Z"}','ntt4u36B4BXVKf4s0CP7WDw1g0DFeo4S_sJmGIx5huw','5pdEdhRDU6IA03woQgGk7ICSLH9qI-d_Hu7L7F6F0hY');
INSERT INTO "audit_event" VALUES('demo',14,1795422626360,'node.started','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'5pdEdhRDU6IA03woQgGk7ICSLH9qI-d_Hu7L7F6F0hY','waqRAsjfduYEtfJrOKOmN3RbdHSv0GKeQy1thHkO_j8');
INSERT INTO "audit_event" VALUES('demo',15,1795422626392,'login_token.issued','success',NULL,'alice','demo-app','demo-web',NULL,'AaIHhyJYxHrXhDrLHhwtWQ','127.0.0.1',NULL,'AaIHhyJXM1EVkbCdZ_Zz',NULL,'waqRAsjfduYEtfJrOKOmN3RbdHSv0GKeQy1thHkO_j8','_SOaaE7oqb5h6iXahWu66JvXqNZc8Few2T8Ie5-Qicw');
INSERT INTO "audit_event" VALUES('demo',16,1795422626406,'login_token.redeemed','success',NULL,'alice','demo-app','demo-web','AaIHhyJmjxi0q9qiEhXQcqrf8TCFew','AaIHhyJYxHrXhDrLHhwtWQ','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyJmHWODGQ2el58x',NULL,'_SOaaE7oqb5h6iXahWu66JvXqNZc8Few2T8Ie5-Qicw','9TVXCdJGXkenngfwzD3mWsnejd7eM5coT_9claoKtB0');
INSERT INTO "audit_event" VALUES('demo',17,1795422626406,'web_session.opened','success','login_token','alice','demo-app','demo-web','AaIHhyJmjxi0q9qiEhXQcqrf8TCFew','AaIHhyJYxHrXhDrLHhwtWQ','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyJmHWODGQ2el58x',NULL,'9TVXCdJGXkenngfwzD3mWsnejd7eM5coT_9claoKtB0','X2uKxpJW6c7GtbcVduM1v_B7oAJRQptC5igsZC9fu68');
INSERT INTO "audit_event" VALUES('demo',18,1795422626423,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'AaIHhyJ3yWZK9etjmf2_Mw','127.0.0.1',NULL,'AaIHhyJ2GrMEOoTcrAld',NULL,'X2uKxpJW6c7GtbcVduM1v_B7oAJRQptC5igsZC9fu68','QL8L7EWQ6c1rOJ_39-3oadqS2lZciGPLvgzfci9lDyM');
INSERT INTO "audit_event" VALUES('demo',19,1795422626441,'login_token.redeemed','success',NULL,'carol','demo-app','demo-web','AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','AaIHhyJ3yWZK9etjmf2_Mw','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyKJhyEtPXzJluuX',NULL,'QL8L7EWQ6c1rOJ_39-3oadqS2lZciGPLvgzfci9lDyM','Us9FQVkwlDTqFsr4hAk3LhDRTGfFBl_wL3_APeY338Q');
INSERT INTO "audit_event" VALUES('demo',20,1795422626441,'web_session.opened','success','login_token','carol','demo-app','demo-web','AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','AaIHhyJ3yWZK9etjmf2_Mw','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyKJhyEtPXzJluuX',NULL,'Us9FQVkwlDTqFsr4hAk3LhDRTGfFBl_wL3_APeY338Q','MK0VLE5cbzNCZKDlz-U7ZEWQ-zj98KTn6RPgz31uGf0');
INSERT INTO "audit_event" VALUES('demo',21,1795422626456,'login_token.replayed','failure','replayed','carol','demo-app','demo-web','AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','AaIHhyJ3yWZK9etjmf2_Mw','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhyKYNYldqjt1YAr0',NULL,'MK0VLE5cbzNCZKDlz-U7ZEWQ-zj98KTn6RPgz31uGf0','-r0aaAuvG_WstTaUqBF7yAITyybmVN4E98tTtnHtBtk');
INSERT INTO "audit_event" VALUES('demo',22,1795422626456,'web_session.ended','success','token_replayed','carol','demo-app','demo-web','AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','AaIHhyJ3yWZK9etjmf2_Mw','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhyKYNYldqjt1YAr0',NULL,'-r0aaAuvG_WstTaUqBF7yAITyybmVN4E98tTtnHtBtk','HDZUEd5WvNPG3ehGrC30FzyJPLUjQ6FzLiNn5qBriy8');
INSERT INTO "audit_event" VALUES('demo',23,1795422626495,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'AaIHhyK_7NpGbRJI_b1qcw','127.0.0.1',NULL,'AaIHhyK_O0LCJCcbhyeW',NULL,'HDZUEd5WvNPG3ehGrC30FzyJPLUjQ6FzLiNn5qBriy8','ZNYT28Ujv5WKL8LI5XFizsNslCguWKyRT_jBYB4kQTE');
INSERT INTO "audit_event" VALUES('demo',24,1795422626519,'login_token.revoked','success','by_app','carol','demo-app',NULL,NULL,'AaIHhyK_7NpGbRJI_b1qcw','127.0.0.1',NULL,'AaIHhyLXXW7WBGm5FQQV',NULL,'ZNYT28Ujv5WKL8LI5XFizsNslCguWKyRT_jBYB4kQTE','nbul-ezL5_78pw1BE5iyyFFJyW9Rnlc3qYHBwgfPGhw');
INSERT INTO "audit_event" VALUES('demo',25,1795422626548,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhyL02dqWPb1uUNpztsYCOK5vRA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyLzo7_MR9uJrd8L',NULL,'nbul-ezL5_78pw1BE5iyyFFJyW9Rnlc3qYHBwgfPGhw','mRK8rsnynVmAZbjDjqLg2beDAL1NlgGjn7b7QA1p30Y');
INSERT INTO "audit_event" VALUES('demo',26,1795422626548,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhyL02dqWPb1uUNpztsYCOK5vRA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyLzo7_MR9uJrd8L',NULL,'mRK8rsnynVmAZbjDjqLg2beDAL1NlgGjn7b7QA1p30Y','QLix-wiBismQRpY7f9nXFhHN5ARNLAGqiiuiX81IUfk');
INSERT INTO "audit_event" VALUES('demo',27,1795422626786,'consent.granted','success',NULL,'alice','demo-app',NULL,NULL,NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyPi7ob63QMQkiIQ',NULL,'QLix-wiBismQRpY7f9nXFhHN5ARNLAGqiiuiX81IUfk','p30hRgbhwp1PB4C4OJnMqOBtwqGN2eujtIUrrUiBqZQ');
INSERT INTO "audit_event" VALUES('demo',28,1795422626786,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhyL02dqWPb1uUNpztsYCOK5vRA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyPi7ob63QMQkiIQ',NULL,'p30hRgbhwp1PB4C4OJnMqOBtwqGN2eujtIUrrUiBqZQ','VHvRG2klXd3MORFDnTR-AiqoovLtH0KOBQYIKZeT9Ec');
INSERT INTO "audit_event" VALUES('demo',29,1795422626823,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyQHEQ1R_Os4YMv5',NULL,'VHvRG2klXd3MORFDnTR-AiqoovLtH0KOBQYIKZeT9Ec','UJwd2fds98ITrWqEuouvpQr92b6sQdEamtIXWPp8hx0');
INSERT INTO "audit_event" VALUES('demo',30,1795422626823,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyQHEQ1R_Os4YMv5',NULL,'UJwd2fds98ITrWqEuouvpQr92b6sQdEamtIXWPp8hx0','cawp78bU5v0pz0xjatQ1D8s2WHbi4QMvUaAnHLnQ2S4');
INSERT INTO "audit_event" VALUES('demo',31,1795422626823,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyQHEQ1R_Os4YMv5','{"device_secret_id":"AaIHhyQHd6xKeP4CphiT3di2NGOOVQ"}','cawp78bU5v0pz0xjatQ1D8s2WHbi4QMvUaAnHLnQ2S4','J27j4X7joNLbaxBMgST3jSH-ooUCkz5W66FCWicam_E');
INSERT INTO "audit_event" VALUES('demo',32,1795422626861,'refresh_token.rotated','success',NULL,'alice','demo-app',NULL,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyQt92HVAqHTZ5r4',NULL,'J27j4X7joNLbaxBMgST3jSH-ooUCkz5W66FCWicam_E','mXvB_SNk31onz91jCAJbxgS75m6Rc2nAzNkalS6uwgM');
INSERT INTO "audit_event" VALUES('demo',33,1795422626861,'device_secret.issued','success','refresh','alice','demo-app',NULL,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyQt92HVAqHTZ5r4','{"device_secret_id":"AaIHhyQHd6xKeP4CphiT3di2NGOOVQ"}','mXvB_SNk31onz91jCAJbxgS75m6Rc2nAzNkalS6uwgM','Tn4P1NAwZ9CwDEbG4w3TSawk7mH32642IYCJzZvpg0s');
INSERT INTO "audit_event" VALUES('demo',34,1795422626884,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyRE5hYn6GBEdt1m',NULL,'Tn4P1NAwZ9CwDEbG4w3TSawk7mH32642IYCJzZvpg0s','Vb_rvVbCgo1EyV_U1qE1Qr4z_8iyEZmHm17OgOHGCyg');
INSERT INTO "audit_event" VALUES('demo',35,1795422626884,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyRE5hYn6GBEdt1m',NULL,'Vb_rvVbCgo1EyV_U1qE1Qr4z_8iyEZmHm17OgOHGCyg','3jzGLiq9dmdLQKYx2Cn-Cm7XAX0Lj_YysUnrGfmAX9A');
INSERT INTO "audit_event" VALUES('demo',36,1795422627113,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhyUo-RVZgsZsLBiT',NULL,'3jzGLiq9dmdLQKYx2Cn-Cm7XAX0Lj_YysUnrGfmAX9A','moOQ0El4VLI8ia0aWkHnfo5HRwcPdro-zMM7e-Gk5OM');
INSERT INTO "audit_event" VALUES('demo',37,1795422627131,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyU74rWO5B7T__P_',NULL,'moOQ0El4VLI8ia0aWkHnfo5HRwcPdro-zMM7e-Gk5OM','eh-iNedq0QI8hN0sG3QqpQcZRbHNNG_b0ZeR-z4a4jI');
INSERT INTO "audit_event" VALUES('demo',38,1795422627131,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyU74rWO5B7T__P_',NULL,'eh-iNedq0QI8hN0sG3QqpQcZRbHNNG_b0ZeR-z4a4jI','7dZqqYXz-t29QKNaELXUlLy2lif6thQx-qfmiXAz_IQ');
INSERT INTO "audit_event" VALUES('demo',39,1795422627131,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyU74rWO5B7T__P_','{"device_secret_id":"AaIHhyU74sQnhQsIlqgsVFjcrpAPmg"}','7dZqqYXz-t29QKNaELXUlLy2lif6thQx-qfmiXAz_IQ','rqtCY1En_blIliNgAhsfm_QT4ahlBly_kbTrhs7WFGc');
INSERT INTO "audit_event" VALUES('demo',40,1795422627160,'app_session.ended','success','revoked','alice','demo-app',NULL,'AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhyVYqhKAWZRilQK5',NULL,'rqtCY1En_blIliNgAhsfm_QT4ahlBly_kbTrhs7WFGc','vaPTrZV5ujYxDK976yChumOA32ecfO6Lk0n3oZ3y3Us');
INSERT INTO "audit_event" VALUES('demo',41,1795422627173,'node.stopped','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'vaPTrZV5ujYxDK976yChumOA32ecfO6Lk0n3oZ3y3Us','fKsmVIGM82aRsiUWdsVkJx3J75jgHR_S97YLiT9RLdE');
CREATE TABLE audit_forward (
    target TEXT NOT NULL, node TEXT NOT NULL, sequence BIGINT NOT NULL, updated_at BIGINT NOT NULL, checkpoint_size BIGINT NOT NULL DEFAULT 0, cut_through BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (target, node)) WITHOUT ROWID;
CREATE TABLE audit_index (
    node TEXT NOT NULL, first_sequence BIGINT NOT NULL, field BIGINT NOT NULL, bucket BIGINT NOT NULL,
    entries TEXT NOT NULL, PRIMARY KEY (node, first_sequence, field, bucket));
CREATE TABLE audit_segment (
    node TEXT NOT NULL, first_sequence BIGINT NOT NULL, through BIGINT NOT NULL,
    oldest_at BIGINT NOT NULL, newest_at BIGINT NOT NULL,
    PRIMARY KEY (node, first_sequence)) WITHOUT ROWID;
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
    redeemed_at BIGINT, session_id TEXT, granted_in TEXT);
INSERT INTO "authorization_code" VALUES('Oxcfc2mCLxDFefry0qy9rDgnuTRJzYId-h8QHGUhJJo','demo-app','https://app.example.com/callback','-oZGwIOzwRom940xJ5UuFKeac3BwbfJWoJPsmx7rjjE',NULL,'openid profile offline_access device_sso','alice',1795422626548,'aal1','["pwd"]','AaIHhyL02dqWPb1uUNpztsYCOK5vRA',NULL,NULL,1795422626786,1795422686786,0,1795422626823,'AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ',NULL);
INSERT INTO "authorization_code" VALUES('X1bIMH_IIj7NBiVJ5twaFXOKFVFpSs-1q0ndmGmm76o','demo-app','https://app.example.com/callback','gPDom97rXMRJDmJYYs2SHquSwswB6d15ikinjRIJIV4',NULL,'openid profile offline_access device_sso','alice',1795422626884,'aal1','["pwd"]','AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ',NULL,NULL,1795422627113,1795422687113,0,1795422627131,'AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg',NULL);
CREATE TABLE client (
    client_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL, updated_at BIGINT NOT NULL);
INSERT INTO "client" VALUES('demo-app','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}',1795422625448);
INSERT INTO "client" VALUES('demo-app-b','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}',1795422625450);
INSERT INTO "client" VALUES('demo-web','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"j87dveCzUk4k8FTpucEafQs1sYeTvnjd_eNXsN4IPSs","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422625451);
INSERT INTO "client" VALUES('demo-webview','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}',1795422625451);
INSERT INTO "client" VALUES('demo-rp','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"tc-tkw4F8LRABpOlhIJKFHTHLlzLThC2QI6z9vAAxak","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422625452);
INSERT INTO "client" VALUES('demo-admin','{"accepts_endpoint_audience":false,"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"be3IWiDhVDo3Xsp-Wgq2AF4E4rVvpStrr5thQQwz7z0","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422625452);
CREATE TABLE client_assertion_use (
    digest TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE consent (
    subject TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
    granted_at BIGINT NOT NULL, PRIMARY KEY (subject, client_id)) WITHOUT ROWID;
INSERT INTO "consent" VALUES('alice','demo-app','device_sso offline_access openid profile',1795422626786);
CREATE TABLE cross_device (
    record_key TEXT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, content TEXT NOT NULL,
    expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE demo_material (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE device_authorization (
    digest TEXT NOT NULL PRIMARY KEY, user_code TEXT NOT NULL, client_id TEXT NOT NULL,
    scope TEXT NOT NULL, network TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    decision TEXT NOT NULL, poll_interval BIGINT NOT NULL, next_poll_at BIGINT NOT NULL,
    polled_too_soon BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE device_secret (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    session_id TEXT NOT NULL, name TEXT, platform TEXT, created_at BIGINT NOT NULL,
    last_used_at BIGINT, use_count BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    key_thumbprint TEXT, revoked_at BIGINT, revoke_reason TEXT);
INSERT INTO "device_secret" VALUES('AaIHhyQHd6xKeP4CphiT3di2NGOOVQ','alice','demo-app','AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ','ExampleApp/3.1',NULL,1795422626823,NULL,0,1798014626823,NULL,NULL,NULL);
INSERT INTO "device_secret" VALUES('AaIHhyU74sQnhQsIlqgsVFjcrpAPmg','alice','demo-app','AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg','ExampleApp/3.1',NULL,1795422627131,NULL,0,1798014627131,NULL,NULL,NULL);
CREATE TABLE device_secret_digest (
    digest TEXT NOT NULL PRIMARY KEY, device_secret_id TEXT NOT NULL, issued_at BIGINT NOT NULL,
    replaced_at BIGINT, overlap_used_at BIGINT);
INSERT INTO "device_secret_digest" VALUES('Sm3lRtYKMjiJlf5ZwdiPNJXKMyHLLrm70NrJC81m2d8','AaIHhyQHd6xKeP4CphiT3di2NGOOVQ',1795422626823,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('RksVwms4FnKHtlkEcSlX5sfZJzPnIsY8ctxeMUR0ZYo','AaIHhyQHd6xKeP4CphiT3di2NGOOVQ',1795422626861,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('NA2yGwWLsKkVcHPISgdqyjxI7H8PVwJ1FJnI4JTC7P8','AaIHhyU74sQnhQsIlqgsVFjcrpAPmg',1795422627131,NULL,NULL);
CREATE TABLE heartbeat (node TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency_key (
    key_digest TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, token_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL, payload TEXT NOT NULL, expires_at BIGINT NOT NULL);
CREATE TABLE linked_key (
    thumbprint TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, algorithm TEXT NOT NULL,
    origin TEXT NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT,
    revoked_at BIGINT, told_name TEXT, told_email TEXT) WITHOUT ROWID;
CREATE TABLE login_token_use (
    token_id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')),
    misses BIGINT NOT NULL, used_at BIGINT, session_id TEXT, address TEXT,
    agent_digest TEXT, scope TEXT, issued_after_end BIGINT);
INSERT INTO "login_token_use" VALUES('AaIHhyJYxHrXhDrLHhwtWQ','alice','demo-app',1795422626000,1795422686000,'redeemed',0,1795422626406,'AaIHhyJmjxi0q9qiEhXQcqrf8TCFew','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE',NULL,NULL);
INSERT INTO "login_token_use" VALUES('AaIHhyJ3yWZK9etjmf2_Mw','carol','demo-app',1795422626000,1795422686000,'redeemed',0,1795422626441,'AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE',NULL,NULL);
INSERT INTO "login_token_use" VALUES('AaIHhyK_7NpGbRJI_b1qcw','carol','demo-app',1795422626000,1795422686000,'revoked',0,1795422626519,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE logout_notice (
    id TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, subject TEXT NOT NULL,
    session_id TEXT NOT NULL, created_at BIGINT NOT NULL, attempts BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL);
CREATE TABLE node_lease (
    node TEXT NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL, holder TEXT NOT NULL,
    expires_at BIGINT NOT NULL);
INSERT INTO "node_lease" VALUES('demo',1,'',0);
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
INSERT INTO "refresh_token" VALUES('M3uKOsOBMJla6wwRDoQkBloGL_P0bdk2Y862BTOe3DA','AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ','openid profile offline_access device_sso',NULL,1795422626823,1798014626823,1795422626861,'HxJwDUQ2XmIGG8pJjHKbLEiDG5BaYuDFbxRDKADUMGM');
INSERT INTO "refresh_token" VALUES('HxJwDUQ2XmIGG8pJjHKbLEiDG5BaYuDFbxRDKADUMGM','AaIHhyQH3M0WLMq0rV1q1OrDFUSiTQ','openid profile offline_access device_sso',NULL,1795422626861,1798014626861,NULL,NULL);
INSERT INTO "refresh_token" VALUES('K2tl8bPdSUXgbMiYEcfq4qOImAoFtp9fmZsybAAiRd0','AaIHhyU7OjoJKxmJxeQ2qPTytr-AQg','openid profile offline_access device_sso',NULL,1795422627131,1798014627131,NULL,NULL);
CREATE TABLE restore_point (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL, identity TEXT NOT NULL,
    restored_at BIGINT, tokens_void_until BIGINT NOT NULL);
INSERT INTO "restore_point" VALUES(1,0,'marked',NULL,0);
CREATE TABLE revoked_token (
    token_id TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE schema_migration (
    version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'users, clients, login tokens, sessions, audit',1795422624857);
INSERT INTO "schema_migration" VALUES(2,'codes, app sessions, refresh tokens, signing keys',1795422624857);
INSERT INTO "schema_migration" VALUES(3,'accounts, second factors, consent, pushed requests',1795422624857);
INSERT INTO "schema_migration" VALUES(4,'device secrets, settings, refresh cookies',1795422624857);
INSERT INTO "schema_migration" VALUES(5,'administration, audit by address, session and token',1795422624857);
INSERT INTO "schema_migration" VALUES(6,'audit by user, first signing keys, a demo''s secrets',1795422624857);
INSERT INTO "schema_migration" VALUES(7,'webhooks of websites',1795422624857);
INSERT INTO "schema_migration" VALUES(9,'audit forwarding',1795422624857);
INSERT INTO "schema_migration" VALUES(10,'standard claims of accounts',1795422624857);
INSERT INTO "schema_migration" VALUES(11,'lineage of sessions, ends in the order of commits',1795422624857);
INSERT INTO "schema_migration" VALUES(12,'signed cuts of the audit log',1795422624857);
INSERT INTO "schema_migration" VALUES(13,'login token keys, keys of several nodes',1795422624857);
INSERT INTO "schema_migration" VALUES(14,'clients'' assertions that were used',1795422624857);
INSERT INTO "schema_migration" VALUES(15,'what opened the console''s sessions',1795422624857);
INSERT INTO "schema_migration" VALUES(16,'login tokens in the order of ends',1795422624857);
INSERT INTO "schema_migration" VALUES(17,'audit log in sealed segments',1795422624857);
INSERT INTO "schema_migration" VALUES(20,'node leases',1795422624857);
INSERT INTO "schema_migration" VALUES(21,'restore epoch',1795422624857);
INSERT INTO "schema_migration" VALUES(22,'keys of phones, sign-ins that wait for one',1795422624857);
INSERT INTO "schema_migration" VALUES(23,'sign-ins across devices',1795422624857);
INSERT INTO "schema_migration" VALUES(24,'devices that wait for their user',1795422624857);
INSERT INTO "schema_migration" VALUES(26,'logout notices of web sessions',1795422624857);
INSERT INTO "schema_migration" VALUES(29,'what phones tell of their holders',1795422624857);
CREATE TABLE self_issued_transaction (
    digest TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL,
    expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE signing_key (
    id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, sealed_key TEXT NOT NULL,
    public_key TEXT NOT NULL, created_at BIGINT NOT NULL, signs_from BIGINT NOT NULL,
    retires_at BIGINT, signs_when_known BIGINT NOT NULL DEFAULT 0, withdrawn_at BIGINT, added_in BIGINT NOT NULL DEFAULT 0);
INSERT INTO "signing_key" VALUES('QlusiwGwJlvI','HS256','mdYy-3wb6XnIyLw8xCg245r5130oBLwc_G8RBHyTI-lq-VpEI-Hg-XobIlr0P3WEUqCvmF047QP426lL','{}',1795422625463,1795422625463,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('w_kpwTIfvGE3_OdP6k5xD4nr1waD7KDpsQdMcqfSeKU','ES256','3Dogmvvi3iDA5Ph-iZF7peO0psVsS_QI6fisPqHispotALJpsXUqmB6I1Bmnw68dVE8QCrnao3aQNHIY','{"alg":"ES256","crv":"P-256","kid":"w_kpwTIfvGE3_OdP6k5xD4nr1waD7KDpsQdMcqfSeKU","kty":"EC","use":"sig","x":"zn4h3Z1cPqjhP-IJigCSdcc5Du0kOtg0Ilr5V3XwckE","y":"cSbwbbJRJvD32QDsTX4pal_tYCMuWhGUX5VPzIZ6ses"}',1795422625463,1795422625463,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('-pnGOKpnaIzV9ssf77AmH6_PtL0blE3ecXDvW0RSS8o','RS256','fGYUYiEJUZEJ4LXXR2Q_YgU5hTC3iXCevIkfw_5fNwFZYufo2ekqwSKLd81UXqQbrm8fsjNd9TyWd7Kypv1BiKZp-V9MGn6Yz1HWbkOMNFiiiYvNG9mO-ql6lpvDFxPaZX5Cz44WsEdS0qV79z6VPNM-MVr8UGqmCdRn0-iYE_0b9Lv21uHE9RhlJnFRka70qsE0kV0hGPrtO7VMShCKg42_wQxATg48PWp2uZOHRSrxjIUYNApA6dlRSPBlNd6d-oISwHRjLh8EHF0_b5G3CTqdtemvU4OB5j7p4nKceB5ikzCViFhBrnWh7FTH3dKDKGhlywF8F2QYiimJCo8Rn1Xd9B4kqf88RNRGf4P7CQAqAvKFcil6MkuZrOru0d8pTbcwCzZYRf4kd-LiQkpAtn1aN6JlYpjTJBaW1LBZF6zGyTTKxJ2VQqCndmIc-k93f2HeI1-EWu_2iXeLS355g72HVzs6L_gkeI5SvfnTDrLalZVIf8yx4SxwD_hIoa_B9nywXZ5O3q5xf8XCdBvbYhOwc3VCDSGkXcFCxfuJMr_q6FnkiBulElSFe8s4oXAD4hFijs2mEMiVVWznxpAJdRsopmpbkQP2_9wzVf0t-YTDqqox3pUQxNBLor-_sooq9Cn0hrq7G398XISJHg5CCvrfdLWoKzmo5KFxHj7yG_hVr85pmrXF0Zuj8HqIUXPXVPbO3rsZKNvokXanJyvOrPFFyMdhCfFuI7yjbblW-sD07ADkD_mlpKdAb6vWVTMc3Qj1BykP-ZtDQDJgIucRkzBDRqU6BWn6JIacz1TK3ux6C6hTPHCYE4ccguZZyH_M0U89q4KPKA-HOBnEbuSl6PN4uSdqgCq7bZV99-hurq1PBQ4vzscrZp9MDzPU74uUqCBY4gt9MePXWTMq0pJXKfJrF81tO3vlIeXL_D8aNiWK__9GOTbLiHxZ7v0gBAFy_wo_Vaa_lecZNV-JlI3UDllDtPaQ7_xxD91-05npbaZ1l_dhU1-cfaGSu46PI8uTdHDbtx2xPECm2BH2Udj2eetGjPxtqtAYlp3Mjdmh69IHr-qkpoef2QvUEF6D48heWrwhkIM4jYFep3F99ckzwRo6S3AkzFbCA4Yy-tbzcjZkmzsVT0-6Ef1spL_Uq9Z1vgAqCUu5xE3hl-whz4x2MpgggjnpVMrx-IWT4NjSok6eBC3GimIY2LbLeP_aPCGbIliOHHhdc9M1zEbK82HtkZP4mTUYHqMQp1-6ctIAH8CkDoLr4Y_6w1OoHb90nS1Tem0oTh2Q4J5LONIMM1ewuFroYEd8gZQYdEXvQdl8EivbCLuBzAYcjiKs1oYbj5IKooXOiZNQiVGKWyig2eS0tDp8wRKjgoSy_x156scl80OPIxEWVbvtch2xaZaQnzdUWHVD2iLLpGLPrHwBClQorCAHg6ROqq98TSWvV09IN6dUDy5OMInI51sAl3ufOwbmFL7lcFhhQKf0lK5eS_xjshwAkmeiBEaLYvYHABWX8W_7ttVZNcnpomw0C70OUAgxdUF2gO6D-YewmaQPaiAKT_BKywVpOAwGMsw39wYLo-SRd6NF3eEfDTqWutkwkPguzeYDh3I96qs0EWm2su-V9uhI','{"alg":"RS256","e":"AQAB","kid":"-pnGOKpnaIzV9ssf77AmH6_PtL0blE3ecXDvW0RSS8o","kty":"RSA","n":"mfYv7UqtOaEWlboDT5aO48AsARgU4VGGFq453vB9xWb1neDtC4z_4TJ5PeJZ0vXlj9TYFIxNXfW6N8myyyQuavUtxwBgMux15-w-mXf6U4TUhxKEuMJ827LAajAJRsUyI8ghsc5AbCneSXGd5JWiH-c0u35ZoZvNBh9OjFwWqFm2Q-qHUbPl_AaRil9eLwUrRUYgE8Rn2y1N5nS--ZIXBYE9V8_Q3MHm6byCze-6w5Rfb05xA0T6EVjMJUWadtnUg4oNAZySU9rzdSpPzeIIhJO9AkcKH9fpn1UNkdjEJ3EiE860wiWBu9wDU3-qHvF14QBeLanKA-KOcEMgiNzmYw","use":"sig"}',1795422625463,1795422625463,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('vK1HfaUmbB1pns84uGGjGajn7_xv4yeRY43iCKA3JfM','EdDSA','epKI02SI3T1_hf_BEm4fDYLQqO7T4Lq6fuPQXuLrAc3ZHtTSYfSJbm7J1kZN7BWRGR7Dw2sr8u7YImct','{"alg":"EdDSA","crv":"Ed25519","kid":"vK1HfaUmbB1pns84uGGjGajn7_xv4yeRY43iCKA3JfM","kty":"OKP","use":"sig","x":"vc6grhdp3D6PDFBlx-QJ4FJHswQmx9nIGlomNO-iIac"}',1795422625463,1795422625463,NULL,0,NULL,1);
CREATE TABLE signing_key_change (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL);
INSERT INTO "signing_key_change" VALUES(1,1);
CREATE TABLE signing_key_holder (
    node TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL, seen_at BIGINT NOT NULL);
CREATE TABLE state_sample (
    name TEXT NOT NULL, at BIGINT NOT NULL, value BIGINT NOT NULL,
    PRIMARY KEY (name, at)) WITHOUT ROWID;
CREATE TABLE transaction_number (value BIGINT NOT NULL);
INSERT INTO "transaction_number" VALUES(2);
CREATE TABLE upstream_identity (
    issuer TEXT NOT NULL, external_subject TEXT NOT NULL, subject TEXT NOT NULL,
    linked_at BIGINT NOT NULL, PRIMARY KEY (issuer, external_subject)) WITHOUT ROWID;
CREATE TABLE web_session (
    id TEXT NOT NULL PRIMARY KEY, secret_digest TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL, client_id TEXT NOT NULL, app_client_id TEXT, parent_id TEXT,
    login_token_id TEXT, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT,
    amr TEXT, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, idle_lifetime BIGINT NOT NULL, last_seen_at BIGINT NOT NULL,
    ended_at BIGINT, login_token_issued_at BIGINT, ancestry TEXT, scope TEXT, ended_in BIGINT, wants_logout_notice BIGINT NOT NULL DEFAULT 0,
    UNIQUE (login_token_issued_at, login_token_id));
INSERT INTO "web_session" VALUES('AaIHhyJmjxi0q9qiEhXQcqrf8TCFew','1FvsRsw5Ix7ftUuXmNMWx99haJqor8eaROTlG9tlt7I','alice','demo-web','demo-app',NULL,'AaIHhyJYxHrXhDrLHhwtWQ','login_token',NULL,NULL,NULL,1795422626406,1795465826406,1800000,1795422626406,NULL,1795422626000,NULL,NULL,NULL,0);
INSERT INTO "web_session" VALUES('AaIHhyKJ3hswl-Hcu4TVmKUqSRr19g','YJqYm0GcNqoAPrDRWvMiEdabqLrWDB0YJuQ0brlUfzM','carol','demo-web','demo-app',NULL,'AaIHhyJ3yWZK9etjmf2_Mw','login_token',NULL,NULL,NULL,1795422626441,1795465826441,1800000,1795422626441,1795422626456,1795422626000,NULL,NULL,1,0);
INSERT INTO "web_session" VALUES('AaIHhyL02dqWPb1uUNpztsYCOK5vRA','BUOsGxg5AzgguUeI8mCvgBLw7Yu7xtW1PKs1g8h_YOk','alice','demo-web',NULL,NULL,NULL,'authorize',1795422626548,'aal1','["pwd"]',1795422626548,1795465826548,1800000,1795422626548,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "web_session" VALUES('AaIHhyREF_wYlNB_M3Jn0pdQ163NJQ','dZ081aXGPDr-rlAZOcW6TFBxadFToKBlj9i7HwD6CPo','alice','demo-web',NULL,NULL,NULL,'authorize',1795422626884,'aal1','["pwd"]',1795422626884,1795465826884,1800000,1795422626884,NULL,NULL,NULL,NULL,NULL,0);
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
CREATE INDEX webhook_notice_due ON webhook_notice (next_attempt_at);
CREATE INDEX web_session_end ON web_session (ended_in) WHERE ended_in IS NOT NULL;
CREATE INDEX app_session_granted ON app_session (granted_in) WHERE granted_in IS NOT NULL;
CREATE INDEX authorization_code_browser ON authorization_code (browser_session_id)
WHERE redeemed_at IS NULL;
CREATE INDEX authorization_code_granted ON authorization_code (granted_in)
WHERE granted_in IS NOT NULL AND redeemed_at IS NULL;
CREATE INDEX client_assertion_use_expiry ON client_assertion_use (expires_at);
CREATE INDEX audit_segment_end ON audit_segment (node, through);
CREATE INDEX audit_segment_newest ON audit_segment (newest_at, node, first_sequence);
CREATE INDEX linked_key_subject ON linked_key (subject);
CREATE INDEX self_issued_transaction_expiry ON self_issued_transaction (expires_at);
CREATE INDEX cross_device_expiry ON cross_device (expires_at);
CREATE INDEX cross_device_moved ON cross_device (expires_at) WHERE version > 0;
CREATE UNIQUE INDEX device_authorization_user_code ON device_authorization (user_code);
CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);
COMMIT;
