BEGIN TRANSACTION;
CREATE TABLE account (
    subject TEXT NOT NULL PRIMARY KEY, username TEXT, username_key TEXT UNIQUE,
    display_name TEXT, email TEXT, password_hash TEXT, role TEXT,
    second_factor TEXT, second_factor_step BIGINT, created_at BIGINT NOT NULL,
    password_changed_at BIGINT NOT NULL, claims TEXT, claims_changed_at BIGINT) WITHOUT ROWID;
INSERT INTO "account" VALUES('admin','admin','admin','Admin','admin@example.com','$scrypt$ln=14,r=8,p=1$suIViyxnTdNfjJdo3rnZug$dyxILk2hsvAOCd3z5vQmKjk801aNPyME2YOgDhNutQM','admin',NULL,NULL,1795422602426,1795422602426,NULL,NULL);
INSERT INTO "account" VALUES('alice','alice','alice','Alice','alice@example.com','$scrypt$ln=14,r=8,p=1$WdyRX4_ZX7wla9K-QtCaBw$PGFpqS7aiknlYDM0Mxc_yZDSUdzHUpRFIr40MANmyLg',NULL,NULL,NULL,1795422602426,1795422602426,NULL,NULL);
INSERT INTO "account" VALUES('bob','bob','bob','Bob','bob@example.com','$scrypt$ln=14,r=8,p=1$ukC8lKTMi6k2h8tQpQ3zIw$TVs7W6cD1o8XZtaB3EDve81QUJcH0j9rTfHGSAMkZKk',NULL,NULL,NULL,1795422602426,1795422602426,NULL,NULL);
CREATE TABLE admin_session (
    secret_digest TEXT NOT NULL PRIMARY KEY, actor TEXT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE app_session (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    scope TEXT NOT NULL, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT, amr TEXT,
    browser_session_id TEXT, device_secret_id TEXT, parent_id TEXT, requested_claims TEXT,
    wants_logout_notice BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    ended_at BIGINT);
INSERT INTO "app_session" VALUES('AaIHhsqKxeP0Z4_k0x90Qc16s76t8w','alice','demo-app','openid profile offline_access device_sso','authorize',1795422603695,'aal1','["pwd"]','AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ','AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw',NULL,NULL,0,1795422603914,1803198603914,NULL);
INSERT INTO "app_session" VALUES('AaIHhsuThBBQT_lckWV2cHrlS5WZxg','alice','demo-app','openid profile offline_access device_sso','authorize',1795422603950,'aal1','["pwd"]','AaIHhsqu6jQZnR6GWX73rqHZwysvAQ','AaIHhsuTrTxO8FxNu5WcllRSlY7Q-Q',NULL,NULL,0,1795422604179,1803198604179,1795422604192);
CREATE TABLE app_user (
    subject TEXT NOT NULL PRIMARY KEY, issuer TEXT NOT NULL, first_seen_at BIGINT NOT NULL,
    disabled_at BIGINT) WITHOUT ROWID;
INSERT INTO "app_user" VALUES('admin','drawbridge',1795422602426,NULL);
INSERT INTO "app_user" VALUES('alice','drawbridge',1795422602426,NULL);
INSERT INTO "app_user" VALUES('bob','drawbridge',1795422602426,NULL);
INSERT INTO "app_user" VALUES('carol','https://backend.example',1795422603647,NULL);
CREATE TABLE audit_checkpoint (
    node TEXT NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash TEXT NOT NULL,
    note TEXT NOT NULL, PRIMARY KEY (node, size)) WITHOUT ROWID;
INSERT INTO "audit_checkpoint" VALUES('demo',40,1795422604195,'_uoP8oVfQ8yTZv7_GaWlYLOfAKnkkZQd01xxC3HQ3rY','localhost/drawbridge/demo
40
/uoP8oVfQ8yTZv7/GaWlYLOfAKnkkZQd01xxC3HQ3rY=
time 2026-11-23T08:30:04.195Z

— localhost/drawbridge IvZrtePBsNbqcSQzS170dnCBYN8uOop5rDxevFO5FimkQYPbZh9L22eDF1k1E6JVHmccuzDtfW3KwLLgdLs/VhXLPgg=
');
CREATE TABLE audit_event (
    node TEXT NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL,
    outcome TEXT NOT NULL, reason TEXT, subject TEXT, client_id TEXT,
    target_client_id TEXT, session_id TEXT, token_id TEXT, address TEXT,
    user_agent TEXT, request_id TEXT, detail TEXT, previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL, PRIMARY KEY (node, sequence)) WITHOUT ROWID;
INSERT INTO "audit_event" VALUES('demo',1,1795422602426,'user.created','success',NULL,'alice',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA','nM7vUvwb-8sMzPcZ575Fz-LXbqNFMXbAfotb3HG5ME4');
INSERT INTO "audit_event" VALUES('demo',2,1795422602426,'user.created','success',NULL,'bob',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'nM7vUvwb-8sMzPcZ575Fz-LXbqNFMXbAfotb3HG5ME4','QDuFzfbT69M6c1fus9ACIO5Np0ahUo9qdqIdWpfOcJQ');
INSERT INTO "audit_event" VALUES('demo',3,1795422602426,'user.created','success',NULL,'admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'QDuFzfbT69M6c1fus9ACIO5Np0ahUo9qdqIdWpfOcJQ','iAg3zGPuLSDonf-vDKmEKnMwtbB_kmRsv2-PQxJl4Vs');
INSERT INTO "audit_event" VALUES('demo',4,1795422602945,'client.created','success','demo',NULL,'demo-app',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'iAg3zGPuLSDonf-vDKmEKnMwtbB_kmRsv2-PQxJl4Vs','2mPAYi3TcfHu0jdWzV_zdCZvF3FxsYtSPU1TIEpNtII');
INSERT INTO "audit_event" VALUES('demo',5,1795422602958,'client.created','success','demo',NULL,'demo-app-b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2mPAYi3TcfHu0jdWzV_zdCZvF3FxsYtSPU1TIEpNtII','i2xZm3UM8NBDS8bGDme_8cQeOl3CzYLIsOrUB_v8zJY');
INSERT INTO "audit_event" VALUES('demo',6,1795422602962,'client.created','success','demo',NULL,'demo-web',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'i2xZm3UM8NBDS8bGDme_8cQeOl3CzYLIsOrUB_v8zJY','Agq4wco5z6uL0VQ3VJpit6oaX5eu-dU8ccxkEEGsn7w');
INSERT INTO "audit_event" VALUES('demo',7,1795422602963,'client.created','success','demo',NULL,'demo-webview',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Agq4wco5z6uL0VQ3VJpit6oaX5eu-dU8ccxkEEGsn7w','XSQ5k0Ci6gKmhggra1QRabxCoGTKmRZH_49SLd11G0s');
INSERT INTO "audit_event" VALUES('demo',8,1795422602982,'client.created','success','demo',NULL,'demo-rp',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'XSQ5k0Ci6gKmhggra1QRabxCoGTKmRZH_49SLd11G0s','_OKU0sZ_ImC9w-PLgL83KMHnnLTXSOT4u0f-STY2CzY');
INSERT INTO "audit_event" VALUES('demo',9,1795422602994,'client.created','success','demo',NULL,'demo-admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'_OKU0sZ_ImC9w-PLgL83KMHnnLTXSOT4u0f-STY2CzY','mlLvG7LASEiIIKRjFO8v-8HUaKaUdT9EHV5aPiDyPT4');
INSERT INTO "audit_event" VALUES('demo',10,1795422603010,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"ES256","kid":"azVI0Z1wOKg5HUXd0EAV1H1d8t0_9DRdLYAbEriQYSs"}','mlLvG7LASEiIIKRjFO8v-8HUaKaUdT9EHV5aPiDyPT4','I7XBgS4Tzw7s-7kLDrSmwRB9jj8JO-b5VBjhiBOwmMM');
INSERT INTO "audit_event" VALUES('demo',11,1795422603144,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"RS256","kid":"puN046RDOgHOSZnyHlinxnxJkIivknldTWZdkIgXMo0"}','I7XBgS4Tzw7s-7kLDrSmwRB9jj8JO-b5VBjhiBOwmMM','lLWhQYcmrTAZ_UxYt7dM2NP2gsxhsspwXNaKGhyRC0A');
INSERT INTO "audit_event" VALUES('demo',12,1795422603157,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"EdDSA","kid":"028B27PhLntNPmD0QqpXIg-Qych8hlygsjiIor-eLBE"}','lLWhQYcmrTAZ_UxYt7dM2NP2gsxhsspwXNaKGhyRC0A','D0ly_AjRc0AfjuRQ0G5eLhsGj42fxiWdX2wloM8AWmQ');
INSERT INTO "audit_event" VALUES('demo',13,1795422603610,'node.started','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'D0ly_AjRc0AfjuRQ0G5eLhsGj42fxiWdX2wloM8AWmQ','_bwl8_R_G3OSp5PE-LvLy5rWfF-ih_DluirCSUE5MK4');
INSERT INTO "audit_event" VALUES('demo',14,1795422603639,'login_token.issued','success',NULL,'alice','demo-app','demo-web',NULL,'bV5HHV1TZHrQEzuoCH4QBA','127.0.0.1',NULL,'AaIHhsl3KeAHktFKoC4t',NULL,'_bwl8_R_G3OSp5PE-LvLy5rWfF-ih_DluirCSUE5MK4','JG7PKL0c2kqmwuOKeiGwMDNIE4yDGxFsK61YBv6Yl60');
INSERT INTO "audit_event" VALUES('demo',15,1795422603644,'login_token.redeemed','success',NULL,'alice','demo-app','demo-web','AaIHhsl81gvNpJRZadyaHubJzMkVPg','bV5HHV1TZHrQEzuoCH4QBA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsl8kUvHsPHMsIQm',NULL,'JG7PKL0c2kqmwuOKeiGwMDNIE4yDGxFsK61YBv6Yl60','hc8hLx_AS_-36eSdRtPjTEr3lLWE0WqOq2kXAPsRyuo');
INSERT INTO "audit_event" VALUES('demo',16,1795422603644,'web_session.opened','success','login_token','alice','demo-app','demo-web','AaIHhsl81gvNpJRZadyaHubJzMkVPg','bV5HHV1TZHrQEzuoCH4QBA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsl8kUvHsPHMsIQm',NULL,'hc8hLx_AS_-36eSdRtPjTEr3lLWE0WqOq2kXAPsRyuo','QqxO1GJeyVp5O1g7m7mVgZdkA-4tyZc7N3VGnNnemfA');
INSERT INTO "audit_event" VALUES('demo',17,1795422603647,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'iB8dUkeuL1Gi3X8-kA9n5g','127.0.0.1',NULL,'AaIHhsl_0K7Qa6o0apyZ',NULL,'QqxO1GJeyVp5O1g7m7mVgZdkA-4tyZc7N3VGnNnemfA','-wVE0fHnvtdwOMMC6cC8cajuSyLx0QMCc8Qnom5arlI');
INSERT INTO "audit_event" VALUES('demo',18,1795422603649,'login_token.redeemed','success',NULL,'carol','demo-app','demo-web','AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','iB8dUkeuL1Gi3X8-kA9n5g','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsmBQORImey6Q6ko',NULL,'-wVE0fHnvtdwOMMC6cC8cajuSyLx0QMCc8Qnom5arlI','nfmkSpUlP_onqCF6-9Uej5AYY2NXiJNux6fedbQ2zc4');
INSERT INTO "audit_event" VALUES('demo',19,1795422603649,'web_session.opened','success','login_token','carol','demo-app','demo-web','AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','iB8dUkeuL1Gi3X8-kA9n5g','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsmBQORImey6Q6ko',NULL,'nfmkSpUlP_onqCF6-9Uej5AYY2NXiJNux6fedbQ2zc4','0B_IgqqM0qzpvM8WQBqMe6qf_8X5s_bLaD__cRgyeQc');
INSERT INTO "audit_event" VALUES('demo',20,1795422603657,'login_token.replayed','failure','replayed','carol','demo-app','demo-web','AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','iB8dUkeuL1Gi3X8-kA9n5g','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhsmJH3whkeliwAwQ',NULL,'0B_IgqqM0qzpvM8WQBqMe6qf_8X5s_bLaD__cRgyeQc','WFTr_tLTbIZHtg1mjzRS6_bXow2pOqRDhAH1O1p6CxE');
INSERT INTO "audit_event" VALUES('demo',21,1795422603657,'web_session.ended','success','token_replayed','carol','demo-app','demo-web','AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','iB8dUkeuL1Gi3X8-kA9n5g','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhsmJH3whkeliwAwQ',NULL,'WFTr_tLTbIZHtg1mjzRS6_bXow2pOqRDhAH1O1p6CxE','TXLlCQrWQSR4BApulkErk4bu__X64GU3AMX2gF4pfx8');
INSERT INTO "audit_event" VALUES('demo',22,1795422603666,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'SfA-RQwVaftaCb7RcjASXg','127.0.0.1',NULL,'AaIHhsmSpOegpGd6mImZ',NULL,'TXLlCQrWQSR4BApulkErk4bu__X64GU3AMX2gF4pfx8','LYbglO83qiKYE1-I0EAqfEuao3va_GzyIVbhVrDsVkA');
INSERT INTO "audit_event" VALUES('demo',23,1795422603672,'login_token.revoked','success','by_app','carol','demo-app',NULL,NULL,'SfA-RQwVaftaCb7RcjASXg','127.0.0.1',NULL,'AaIHhsmYy_W_NVtLfUVW',NULL,'LYbglO83qiKYE1-I0EAqfEuao3va_GzyIVbhVrDsVkA','ZPBjBc1zWHanIOWrgh9MMRzyQ6IXh-E8VPqeQe4KuH4');
INSERT INTO "audit_event" VALUES('demo',24,1795422603695,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsmvX1-kIalfiZqK',NULL,'ZPBjBc1zWHanIOWrgh9MMRzyQ6IXh-E8VPqeQe4KuH4','fPzdqOw6pi4mhK9TKcB3F_YE8hJxCB3m6NKmoesbg_s');
INSERT INTO "audit_event" VALUES('demo',25,1795422603695,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsmvX1-kIalfiZqK',NULL,'fPzdqOw6pi4mhK9TKcB3F_YE8hJxCB3m6NKmoesbg_s','xTeJ_OwTTuM2KcSzkXA-_RC2eRNqXtxyRubsAK-PQ3o');
INSERT INTO "audit_event" VALUES('demo',26,1795422603906,'consent.granted','success',NULL,'alice','demo-app',NULL,NULL,NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsqCgjjexJUGcj4K',NULL,'xTeJ_OwTTuM2KcSzkXA-_RC2eRNqXtxyRubsAK-PQ3o','GwnXoz5smvAak58kSxTIfn5jBW78o4n9VyY9MsOpvJw');
INSERT INTO "audit_event" VALUES('demo',27,1795422603906,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsqCgjjexJUGcj4K',NULL,'GwnXoz5smvAak58kSxTIfn5jBW78o4n9VyY9MsOpvJw','2FifS0FouabtFfiho4QwT5oS1d_Li7tuCvuEnZjxkJU');
INSERT INTO "audit_event" VALUES('demo',28,1795422603914,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsqKPVyIfCgE8Via',NULL,'2FifS0FouabtFfiho4QwT5oS1d_Li7tuCvuEnZjxkJU','cKB5yXu4pCfM-f0UVt1UIKxMcZCQNEBRNDloTuentcM');
INSERT INTO "audit_event" VALUES('demo',29,1795422603914,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsqKPVyIfCgE8Via',NULL,'cKB5yXu4pCfM-f0UVt1UIKxMcZCQNEBRNDloTuentcM','6kX1R86w0r8rF7j2iBLJ9tOU7hgdSwnkgg34rUyYXo8');
INSERT INTO "audit_event" VALUES('demo',30,1795422603914,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsqKPVyIfCgE8Via','{"device_secret_id":"AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw"}','6kX1R86w0r8rF7j2iBLJ9tOU7hgdSwnkgg34rUyYXo8','S6PN7o23JqsXdXmIS4gLo68cpI8XjXBN_cqG3JYIRzM');
INSERT INTO "audit_event" VALUES('demo',31,1795422603927,'refresh_token.rotated','success',NULL,'alice','demo-app',NULL,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsqXDsGJuDWD7K1V',NULL,'S6PN7o23JqsXdXmIS4gLo68cpI8XjXBN_cqG3JYIRzM','9jjikUFyd7NTiPgKoXDpNhgmahdViyNMecD0SaR2qqk');
INSERT INTO "audit_event" VALUES('demo',32,1795422603927,'device_secret.issued','success','refresh','alice','demo-app',NULL,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsqXDsGJuDWD7K1V','{"device_secret_id":"AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw"}','9jjikUFyd7NTiPgKoXDpNhgmahdViyNMecD0SaR2qqk','j_3XtVwd3LpvUu8fDLGQfqsL0MYkd5Ls4P3lZ778rCU');
INSERT INTO "audit_event" VALUES('demo',33,1795422603950,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhsqu6jQZnR6GWX73rqHZwysvAQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsqueTleOffjRH-W',NULL,'j_3XtVwd3LpvUu8fDLGQfqsL0MYkd5Ls4P3lZ778rCU','Qd2OfhJQeJoU4VAKrpQ-gpGqKmCjVKlLi3691W7G-r4');
INSERT INTO "audit_event" VALUES('demo',34,1795422603950,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhsqu6jQZnR6GWX73rqHZwysvAQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsqueTleOffjRH-W',NULL,'Qd2OfhJQeJoU4VAKrpQ-gpGqKmCjVKlLi3691W7G-r4','E4d_mZjjHfZ9mQ2b7VwLxKy6_tJnzoUPPpwGK29ln0I');
INSERT INTO "audit_event" VALUES('demo',35,1795422604167,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhsqu6jQZnR6GWX73rqHZwysvAQ',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhsuHeJ9bnLKQVJVU',NULL,'E4d_mZjjHfZ9mQ2b7VwLxKy6_tJnzoUPPpwGK29ln0I','v_uQl2XYMhOHb1PtJngtaQcslT3o4rLG6510XYUO1mA');
INSERT INTO "audit_event" VALUES('demo',36,1795422604179,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhsuThBBQT_lckWV2cHrlS5WZxg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsuTe3nlOGbXKv5_',NULL,'v_uQl2XYMhOHb1PtJngtaQcslT3o4rLG6510XYUO1mA','cZPenH9Yxz3JhBTzoTg10xMQuxmj-Uvy_pPri8hCbig');
INSERT INTO "audit_event" VALUES('demo',37,1795422604179,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhsuThBBQT_lckWV2cHrlS5WZxg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsuTe3nlOGbXKv5_',NULL,'cZPenH9Yxz3JhBTzoTg10xMQuxmj-Uvy_pPri8hCbig','C_NnYyzUwC4NfqRSvGcjJGYNNrT90DP-64Spl-0d_Fo');
INSERT INTO "audit_event" VALUES('demo',38,1795422604179,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhsuThBBQT_lckWV2cHrlS5WZxg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsuTe3nlOGbXKv5_','{"device_secret_id":"AaIHhsuTrTxO8FxNu5WcllRSlY7Q-Q"}','C_NnYyzUwC4NfqRSvGcjJGYNNrT90DP-64Spl-0d_Fo','Ib1ZwUnVhoNipzHJWoi-LM4lHvhVAn7a3t-ZbfAGnnI');
INSERT INTO "audit_event" VALUES('demo',39,1795422604192,'app_session.ended','success','revoked','alice','demo-app',NULL,'AaIHhsuThBBQT_lckWV2cHrlS5WZxg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhsugD11IMyDgnTYG',NULL,'Ib1ZwUnVhoNipzHJWoi-LM4lHvhVAn7a3t-ZbfAGnnI','JbQ-rwnOXvPKslccAZZ1k8Ij5aA7StYr9OeTwc4zUnc');
INSERT INTO "audit_event" VALUES('demo',40,1795422604195,'node.stopped','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'JbQ-rwnOXvPKslccAZZ1k8Ij5aA7StYr9OeTwc4zUnc','_uoP8oVfQ8yTZv7_GaWlYLOfAKnkkZQd01xxC3HQ3rY');
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
INSERT INTO "authorization_code" VALUES('Z3zCM21cz7bO5GtYkHfACSh0v05xboqcEVqPGck67EE','demo-app','https://app.example.com/callback','xp2ebvn2u0waQZtQPh5cONBGeF1_roJdh-GjyMw91Mw',NULL,'openid profile offline_access device_sso','alice',1795422603695,'aal1','["pwd"]','AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ',NULL,NULL,1795422603906,1795422663906,0,1795422603914,'AaIHhsqKxeP0Z4_k0x90Qc16s76t8w');
INSERT INTO "authorization_code" VALUES('Ff1eijWYfxdU6xlHGGsLReH0OBVjaqpXV5doMWvegQQ','demo-app','https://app.example.com/callback','40AljMG_9Df3IC__17qR5d-dE3eJBA4krOUXb7zLPE8',NULL,'openid profile offline_access device_sso','alice',1795422603950,'aal1','["pwd"]','AaIHhsqu6jQZnR6GWX73rqHZwysvAQ',NULL,NULL,1795422604167,1795422664167,0,1795422604179,'AaIHhsuThBBQT_lckWV2cHrlS5WZxg');
CREATE TABLE client (
    client_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL, updated_at BIGINT NOT NULL);
INSERT INTO "client" VALUES('demo-app','{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}',1795422602945);
INSERT INTO "client" VALUES('demo-app-b','{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}',1795422602958);
INSERT INTO "client" VALUES('demo-web','{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"LBiCpYLP2jDtUAANJxC79mUQMngYe1ClvMP4-oy5bNY","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422602962);
INSERT INTO "client" VALUES('demo-webview','{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}',1795422602963);
INSERT INTO "client" VALUES('demo-rp','{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"7SfwBEC9fz-p_8utEbIDPA_2-t_d2TAIWqsYtb5KtiA","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422602982);
INSERT INTO "client" VALUES('demo-admin','{"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"MATZhvixocXj7BBMu1ikjoN3SczVO_UHzqS2hCUdkMs","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422602994);
CREATE TABLE consent (
    subject TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
    granted_at BIGINT NOT NULL, PRIMARY KEY (subject, client_id)) WITHOUT ROWID;
INSERT INTO "consent" VALUES('alice','demo-app','device_sso offline_access openid profile',1795422603906);
CREATE TABLE demo_material (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE device_secret (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    session_id TEXT NOT NULL, name TEXT, platform TEXT, created_at BIGINT NOT NULL,
    last_used_at BIGINT, use_count BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    key_thumbprint TEXT, revoked_at BIGINT, revoke_reason TEXT);
INSERT INTO "device_secret" VALUES('AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw','alice','demo-app','AaIHhsqKxeP0Z4_k0x90Qc16s76t8w','ExampleApp/3.1',NULL,1795422603914,NULL,0,1798014603914,NULL,NULL,NULL);
INSERT INTO "device_secret" VALUES('AaIHhsuTrTxO8FxNu5WcllRSlY7Q-Q','alice','demo-app','AaIHhsuThBBQT_lckWV2cHrlS5WZxg','ExampleApp/3.1',NULL,1795422604179,NULL,0,1798014604179,NULL,NULL,NULL);
CREATE TABLE device_secret_digest (
    digest TEXT NOT NULL PRIMARY KEY, device_secret_id TEXT NOT NULL, issued_at BIGINT NOT NULL,
    replaced_at BIGINT, overlap_used_at BIGINT);
INSERT INTO "device_secret_digest" VALUES('qh4eYgkg0stTqsiHxoCWH6VgOk9bgaUGcmupL5EEwL8','AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw',1795422603914,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('RW29z00Rnzzx5yjSoaOTZtlSNu6KRGdOR7IyypE9_S8','AaIHhsqK3Lu3MV3HF_Qr2zsxiTb6fw',1795422603927,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('6UT79fD-ewsIwbDmch4KgyLFlZYsooJdSDX9WplP4-A','AaIHhsuTrTxO8FxNu5WcllRSlY7Q-Q',1795422604179,NULL,NULL);
CREATE TABLE first_signing_key (algorithm TEXT NOT NULL PRIMARY KEY, key_id TEXT NOT NULL);
INSERT INTO "first_signing_key" VALUES('ES256','azVI0Z1wOKg5HUXd0EAV1H1d8t0_9DRdLYAbEriQYSs');
INSERT INTO "first_signing_key" VALUES('RS256','puN046RDOgHOSZnyHlinxnxJkIivknldTWZdkIgXMo0');
INSERT INTO "first_signing_key" VALUES('EdDSA','028B27PhLntNPmD0QqpXIg-Qych8hlygsjiIor-eLBE');
CREATE TABLE heartbeat (node TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency_key (
    key_digest TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, token_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL, payload TEXT NOT NULL, expires_at BIGINT NOT NULL);
CREATE TABLE login_token_use (
    token_id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')),
    misses BIGINT NOT NULL, used_at BIGINT, session_id TEXT, address TEXT,
    agent_digest TEXT);
INSERT INTO "login_token_use" VALUES('bV5HHV1TZHrQEzuoCH4QBA','alice','demo-app',1795422603000,1795422663000,'redeemed',0,1795422603644,'AaIHhsl81gvNpJRZadyaHubJzMkVPg','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
INSERT INTO "login_token_use" VALUES('iB8dUkeuL1Gi3X8-kA9n5g','carol','demo-app',1795422603000,1795422663000,'redeemed',0,1795422603649,'AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
INSERT INTO "login_token_use" VALUES('SfA-RQwVaftaCb7RcjASXg','carol','demo-app',1795422603000,1795422663000,'revoked',0,1795422603672,NULL,NULL,NULL);
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
INSERT INTO "refresh_token" VALUES('pnA5H4AC2wUW8PmV-lnrLG1qX4dmPtsdKp5bANh45pU','AaIHhsqKxeP0Z4_k0x90Qc16s76t8w','openid profile offline_access device_sso',NULL,1795422603914,1798014603914,1795422603927,'MtlR7me_L8ux-8UB1kUgTbRhlTbGlA25bllSQ5jfo3s');
INSERT INTO "refresh_token" VALUES('MtlR7me_L8ux-8UB1kUgTbRhlTbGlA25bllSQ5jfo3s','AaIHhsqKxeP0Z4_k0x90Qc16s76t8w','openid profile offline_access device_sso',NULL,1795422603927,1798014603927,NULL,NULL);
INSERT INTO "refresh_token" VALUES('sQEBWjkpCPA6RNKIbQ_xbQDWeGpDjYeIL2Uga5oP9UY','AaIHhsuThBBQT_lckWV2cHrlS5WZxg','openid profile offline_access device_sso',NULL,1795422604179,1798014604179,NULL,NULL);
CREATE TABLE revoked_token (
    token_id TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE schema_migration (
    version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'users, clients, login tokens, sessions, audit',1795422602402);
INSERT INTO "schema_migration" VALUES(2,'codes, app sessions, refresh tokens, signing keys',1795422602402);
INSERT INTO "schema_migration" VALUES(3,'accounts, second factors, consent, pushed requests',1795422602402);
INSERT INTO "schema_migration" VALUES(4,'device secrets, settings, refresh cookies',1795422602402);
INSERT INTO "schema_migration" VALUES(5,'administration, audit by address, session and token',1795422602402);
INSERT INTO "schema_migration" VALUES(6,'audit by user, first signing keys, a demo''s secrets',1795422602402);
INSERT INTO "schema_migration" VALUES(7,'webhooks of websites',1795422602402);
INSERT INTO "schema_migration" VALUES(9,'audit forwarding',1795422602402);
INSERT INTO "schema_migration" VALUES(10,'standard claims of accounts',1795422602402);
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE signing_key (
    id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, sealed_key TEXT NOT NULL,
    public_key TEXT NOT NULL, created_at BIGINT NOT NULL, signs_from BIGINT NOT NULL,
    retires_at BIGINT);
INSERT INTO "signing_key" VALUES('azVI0Z1wOKg5HUXd0EAV1H1d8t0_9DRdLYAbEriQYSs','ES256','9YtFYEdyKNRgVusEdhmktY0-ZEg1G6TKT2-pyWKBxkHjR2Hkq3d1lSG5sLxCrnSS-PjFUxAOgDMk62iz','{"alg":"ES256","crv":"P-256","kid":"azVI0Z1wOKg5HUXd0EAV1H1d8t0_9DRdLYAbEriQYSs","kty":"EC","use":"sig","x":"Lkws41Dt09goAZPiFtDNLB_L8VfADaXwkniWBUcRm7c","y":"Q3QA8XwyLiwKDmHZc9pn5MheKi8TbuBRzM-ZTq2JpEA"}',1795422603010,1795422603010,NULL);
INSERT INTO "signing_key" VALUES('puN046RDOgHOSZnyHlinxnxJkIivknldTWZdkIgXMo0','RS256','B_UExRLgukuEd_prV3jw4nWheLMH5gJemwv3Z-ZBAg1peCYUT-tAbRxCXVTloLbZlcm7fb-xNIRHd_KP2_mb9TNYKFB05lDghe-TP-zwhXCFLAtT--gROT2zMCTzqCPoDdffTWjVhzhnCsRmPog58ap7AZ29wXNZrE0po73IHAc97iLWngUlmNpkHWReWBZL5H606qN6XbiMEpFHbmjPMlG9LEtwe_dax0z5A4PkEkwA-WolnvFF0bMLMToKGuCBu5vE4nDAv4odgDDiDx09I6nFF8VPYZtrB5rPJbzyD9ow7XaKP3FTL7xsvOAhsIyIpTKjCYiKSrGlXBzXMqmQx8aepTxSoEw2rmi6YKmZi7VzyfuyXaDw7NKkc_ER4djNaKgqmJowck3VEV8ucJrm9lRRc8fj9jD5G0WgewFMlnq5ImKVxyCzDFk7E6lThxL1-NOlkSQOpxmJkBemV0bdPJ7LKjTy_84pAsyztx3LWXspx8hkgfW76V5NvneBysi9Wg_7abON6hQaButtDc4ARLqgSuDgv5OQNuAv4e1EfMu3YCKiKO5HsgyPWEAAdK4qRuE-jQt0A3IzMPERiAgSyxhPT6d_unvVSCgPpYi3aNaYEa7NJBQV_eKEPA6qY8ZX2sEbvxMuCNpfiC4JRD6KqbQYA4q4X2LXwUA9KTuYCQXw5YqPt5CgMALczEZPcTY2iH4T31MpnlGt_ED9UJWEZEocxf3PznVea0_6ZszNxmNV2HGsNchrIpxMNcYBbQhjbDXS7M9o0CteJY4FGjUQFNr1QUubqsd4rA-UusgVd7R9Lf6siMuv2RtdRg7o2gC96mFKvAoLX8BUj8NM7qdVUYAA_UBcucX7Gcmp6pMwYrrmkYDQdfl1Xu9oQD3w5oUC4jUwEJlzjqR-_XD1kzSWrTOkwG9Xad9B-yRRdT02fUR7w6Q4Nrspxz9QxHi9QgPFgKYOohCmEnveE6QuJuoDTzXhVcebZMp4tXN3Dp9XJBRtyeri2oIuhMj1xtw4u6rCZLfCTb2aZB5CqLGIYkN55BLtAJ6o_xtAP056YhhYvVWrGF6SlWYkJmS898PpUmfDgAiZRipoaSKPvU8PsXc0hI9zYLoUKO5u-3sZQsF5T2vKyDyFs1zEAA1vY3GqFS8UZmx53Pfv8R_DN2_hi_k3iqT-gF4Udmgbniubvn00ffYjh6pXZroK8PUANkk_eMxXbScNtaXWKqpIgZkt_O4XhXHz1Y-xnAx-ljerNd8nr3c-S_OpgpFgWAM6bgRiuIThSLKfbZ6339Ah2jhoFtBOmKDg1XpSbvYNNY0BLuELMGP_JxPBRHZN3aFp52UeyIuMZTZGMGU0NYOrNKdIuV4g0D9_4FwVkJ6R-UJA2UxBmWAWq34e_3QXMSvafNU_XITC9kseYVP391pkfDwztMML7GBzJ5IDldZ3JlPZtAS8emieHZG9r1sWzPmHjkSbkwZJ-ikrfcKC-R48OHX5MfU6rumKs-t3aVaG6XkhsvUq3uk-pE_zOz_Vn4HJJm-FIkDcJSrg_924RlYZPnQQYYR31gJMOvtwdXgVRgh0xkbnOuD9NLRRuDPHsFEq56vJ0sL-oUDKXJur6NYqYFAYLKv3R08p','{"alg":"RS256","e":"AQAB","kid":"puN046RDOgHOSZnyHlinxnxJkIivknldTWZdkIgXMo0","kty":"RSA","n":"mrupE7Us_EYnlK1UY8uBQ8DPzuQ50uJ2iV18cBdeNSqeQ99ptpW2B6r7YcBGcIwnEIJGVCA2y_4XySxCjV4aruW9vbpJoOkvypn1P-dbD0gZrLFCSn5nsk8nF_vfZD-Hq3Vjf1XHedoXTki9PpVhRREWpfddueQJ9qRZZhIOgI8v-Zgv0j3QG5Z486txQiXLpFffumjdO5iQEBIadVG670ZEhHqdttt5q8ez8olqN3XXJ28PXtBQxiDRCHSAtXRh4CrYdUYo6APsRms7HKGGVYuMIunk1VetLYy2A8GlxdMfsFNaSCA8sMSqUouCErVgv2hw51Rx07aPIRxv9QzdDQ","use":"sig"}',1795422603144,1795422603144,NULL);
INSERT INTO "signing_key" VALUES('028B27PhLntNPmD0QqpXIg-Qych8hlygsjiIor-eLBE','EdDSA','9NmJR3z_UFkSEjMDarjveKMQOLdAzidWJhpJnttJlZ_KhWSxTJ0RlBkD_qWMaySIQg_rekeE-KaeMZ2z','{"alg":"EdDSA","crv":"Ed25519","kid":"028B27PhLntNPmD0QqpXIg-Qych8hlygsjiIor-eLBE","kty":"OKP","use":"sig","x":"konUJjSzw2ABRStj3KlH1rMyevZn5RyjaMV41wAKxrs"}',1795422603157,1795422603157,NULL);
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
INSERT INTO "web_session" VALUES('AaIHhsl81gvNpJRZadyaHubJzMkVPg','WCLGZ7pSDlR9nzQ4P9I40rNUshbIWDVu-Kqjx0Xx-cU','alice','demo-web','demo-app',NULL,'bV5HHV1TZHrQEzuoCH4QBA','login_token',NULL,NULL,NULL,1795422603644,1795465803644,1800000,1795422603644,NULL,1795422603000);
INSERT INTO "web_session" VALUES('AaIHhsmBSjJgU81PqmwcNfHt5X6L1w','fgeeLCPWU6Otmh2q19pzylrJP-v3XvEo0Z4f0AIU86M','carol','demo-web','demo-app',NULL,'iB8dUkeuL1Gi3X8-kA9n5g','login_token',NULL,NULL,NULL,1795422603649,1795465803649,1800000,1795422603649,1795422603657,1795422603000);
INSERT INTO "web_session" VALUES('AaIHhsmvfwstKmPsNT8qLwDgzSZDnQ','SwwUS3edInfsw5nTgwNuJ5qftpZ3ug7j2MXod8n6JG0','alice','demo-web',NULL,NULL,NULL,'authorize',1795422603695,'aal1','["pwd"]',1795422603695,1795465803695,1800000,1795422603695,NULL,NULL);
INSERT INTO "web_session" VALUES('AaIHhsqu6jQZnR6GWX73rqHZwysvAQ','1FDZTRfQAlWtn61J0m6YtotCXDJSARZeD6_j-1k3gZI','alice','demo-web',NULL,NULL,NULL,'authorize',1795422603950,'aal1','["pwd"]',1795422603950,1795465803950,1800000,1795422603950,NULL,NULL);
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
