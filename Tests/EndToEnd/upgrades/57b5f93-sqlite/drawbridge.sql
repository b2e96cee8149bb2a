BEGIN TRANSACTION;
CREATE TABLE account (
    subject TEXT NOT NULL PRIMARY KEY, username TEXT, username_key TEXT UNIQUE,
    display_name TEXT, email TEXT, password_hash TEXT, role TEXT,
    second_factor TEXT, second_factor_step BIGINT, created_at BIGINT NOT NULL,
    password_changed_at BIGINT NOT NULL, claims TEXT, claims_changed_at BIGINT) WITHOUT ROWID;
INSERT INTO "account" VALUES('admin','admin','admin','Admin','admin@example.com','$scrypt$ln=14,r=8,p=1$lN6u0mBuhVDpuREKS2rjHw$AMFdmy3iEfeRAYF8iArPnafmQR-aiS_baaPbi5yRHFE','admin',NULL,NULL,1795422613173,1795422613173,NULL,NULL);
INSERT INTO "account" VALUES('alice','alice','alice','Alice','alice@example.com','$scrypt$ln=14,r=8,p=1$kdC-aFP7eR714EbfyUi7_g$W5p0Y21tKVRo9Gojo61IQa8uXtnkfiCtxH2ZI-SPAVk',NULL,NULL,NULL,1795422613173,1795422613173,NULL,NULL);
INSERT INTO "account" VALUES('bob','bob','bob','Bob','bob@example.com','$scrypt$ln=14,r=8,p=1$Vpf8EL2bbtp2OGGt1sN93A$GOoIPpP__mgJaB8tyPtuRHz9KbFrFkqtRR_FS7vZJxU',NULL,NULL,NULL,1795422613173,1795422613173,NULL,NULL);
CREATE TABLE admin_session (
    secret_digest TEXT NOT NULL PRIMARY KEY, actor TEXT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL, token_id TEXT, client_id TEXT, session_id TEXT, signed_in_at BIGINT) WITHOUT ROWID;
CREATE TABLE app_session (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    scope TEXT NOT NULL, opening TEXT NOT NULL, auth_time BIGINT, acr TEXT, amr TEXT,
    browser_session_id TEXT, device_secret_id TEXT, parent_id TEXT, requested_claims TEXT,
    wants_logout_notice BIGINT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    ended_at BIGINT, ancestry TEXT, granted_in TEXT);
INSERT INTO "app_session" VALUES('AaIHhvQQwK9mN6kar1asUpztgUEWzw','alice','demo-app','openid profile offline_access device_sso','authorize',1795422614448,'aal1','["pwd"]','AaIHhvOwg-IERWSy7IhHwUKNlUrv_g','AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg',NULL,NULL,0,1795422614544,1803198614544,NULL,'authorize',NULL);
INSERT INTO "app_session" VALUES('AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg','alice','demo-app','openid profile offline_access device_sso','authorize',1795422614598,'aal1','["pwd"]','AaIHhvRG94tVOsvDNNvIHHyjg32RYA','AaIHhvVzgu9Zh2Nf8GmGVHdH1qGxkA',NULL,NULL,0,1795422614899,1803198614899,1795422614938,'authorize',NULL);
CREATE TABLE app_user (
    subject TEXT NOT NULL PRIMARY KEY, issuer TEXT NOT NULL, first_seen_at BIGINT NOT NULL,
    disabled_at BIGINT, login_tokens_void_until BIGINT) WITHOUT ROWID;
INSERT INTO "app_user" VALUES('admin','drawbridge',1795422613173,NULL,NULL);
INSERT INTO "app_user" VALUES('alice','drawbridge',1795422613173,NULL,NULL);
INSERT INTO "app_user" VALUES('bob','drawbridge',1795422613173,NULL,NULL);
INSERT INTO "app_user" VALUES('carol','https://backend.example',1795422614400,NULL,NULL);
CREATE TABLE audit_checkpoint (
    node TEXT NOT NULL, size BIGINT NOT NULL, at BIGINT NOT NULL, hash TEXT NOT NULL,
    note TEXT NOT NULL, PRIMARY KEY (node, size)) WITHOUT ROWID;
INSERT INTO "audit_checkpoint" VALUES('demo',41,1795422614982,'-kS93mGqZBg4By_oCPIj6OY8X93p73uY2Iy3oRUO1pg','localhost/drawbridge/demo
41
+kS93mGqZBg4By/oCPIj6OY8X93p73uY2Iy3oRUO1pg=
time 2026-11-23T08:30:14.982Z

— localhost/drawbridge XHa8Awj8d2sTwpezqb5scGKwaABJg/AGsrjb393PN1GqFmeCYWSn8HdFnOa72+HS60jSfHNHnIlu65Mw6UYXRKMQ3AU=
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
INSERT INTO "audit_event" VALUES('demo',1,1795422613173,'user.created','success',NULL,'alice',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA','RZ97JL6M3Jey3vKkrA0yHg9v8lfDpknhOq4yrm9y0Zw');
INSERT INTO "audit_event" VALUES('demo',2,1795422613173,'user.created','success',NULL,'bob',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'RZ97JL6M3Jey3vKkrA0yHg9v8lfDpknhOq4yrm9y0Zw','h3mBdubX8_T5qSCsLqIEi0-0xL8zBw6hXKUzjqH_7OY');
INSERT INTO "audit_event" VALUES('demo',3,1795422613173,'user.created','success',NULL,'admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'h3mBdubX8_T5qSCsLqIEi0-0xL8zBw6hXKUzjqH_7OY','S1oEC-acQD0lwUbnMl0MuRwJmP9tfcVcOKBxn-h1-2Y');
INSERT INTO "audit_event" VALUES('demo',4,1795422613587,'client.created','success','demo',NULL,'demo-app',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'S1oEC-acQD0lwUbnMl0MuRwJmP9tfcVcOKBxn-h1-2Y','JBKd1TSegU-5zKG390yxXau0frtZlNsxVMFJwgo6ynw');
INSERT INTO "audit_event" VALUES('demo',5,1795422613591,'client.created','success','demo',NULL,'demo-app-b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'JBKd1TSegU-5zKG390yxXau0frtZlNsxVMFJwgo6ynw','sLHhgncGNeb3fEfzRz3xVHniuDsZT37LUk-sNh604EA');
INSERT INTO "audit_event" VALUES('demo',6,1795422613592,'client.created','success','demo',NULL,'demo-web',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'sLHhgncGNeb3fEfzRz3xVHniuDsZT37LUk-sNh604EA','zAmXo2VD8IR6GIVBmH0YVOt9QsK8DI9hSKrzsHiyKew');
INSERT INTO "audit_event" VALUES('demo',7,1795422613598,'client.created','success','demo',NULL,'demo-webview',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'zAmXo2VD8IR6GIVBmH0YVOt9QsK8DI9hSKrzsHiyKew','da9UIZejUC7mUtokQZ6I7TY9tj1lto1s8VEP1xwqPbo');
INSERT INTO "audit_event" VALUES('demo',8,1795422613602,'client.created','success','demo',NULL,'demo-rp',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'da9UIZejUC7mUtokQZ6I7TY9tj1lto1s8VEP1xwqPbo','z_Q0VNzSgkrx-8igo--3XBmgGXnZDjdb6Wtc62uhC88');
INSERT INTO "audit_event" VALUES('demo',9,1795422613606,'client.created','success','demo',NULL,'demo-admin',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'z_Q0VNzSgkrx-8igo--3XBmgGXnZDjdb6Wtc62uhC88','A7HUy56GXHMlBZIbhNeQBdXdoUt3lZMrFKK_ur4JZ9s');
INSERT INTO "audit_event" VALUES('demo',10,1795422613614,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"HS256","kid":"pc9M6FjFfoVy","signs_from":"2026-11-23T08:30:13.614Z"}','A7HUy56GXHMlBZIbhNeQBdXdoUt3lZMrFKK_ur4JZ9s','0e250vaTPCcNeQRH09Gnn-Z1GK-fXK45O1WbfEjzX34');
INSERT INTO "audit_event" VALUES('demo',11,1795422613614,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"ES256","kid":"xwv1gyxvBhHVaab3ts0pvGn5g4NeoL6eAgcgsCInlEs","signs_from":"2026-11-23T08:30:13.614Z"}','0e250vaTPCcNeQRH09Gnn-Z1GK-fXK45O1WbfEjzX34','KUaf7XyNoFN1vcYpEg31PCNk99ZA9GQEaLZ9Pqzx51c');
INSERT INTO "audit_event" VALUES('demo',12,1795422613614,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"RS256","kid":"VRPC0OFfWwtYcQnqCZpmfUV2ob4_8Ad9iPi0l1yYEa4","signs_from":"2026-11-23T08:30:13.614Z"}','KUaf7XyNoFN1vcYpEg31PCNk99ZA9GQEaLZ9Pqzx51c','BA80QhrSAfg3vSc7xL8973Yv52VVv-2LF3BrXQ35fzU');
INSERT INTO "audit_event" VALUES('demo',13,1795422613614,'key.rotated','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"algorithm":"EdDSA","kid":"HOxiroThlv3aZPnQifEgusKwE1-4-dFBIUgzjrvh7cU","signs_from":"2026-11-23T08:30:13.614Z"}','BA80QhrSAfg3vSc7xL8973Yv52VVv-2LF3BrXQ35fzU','8yLz1gLC5Cs_66Ye2Qxbm0Uvy8X1MD-wt28mrDjvsjg');
INSERT INTO "audit_event" VALUES('demo',14,1795422614354,'node.started','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'8yLz1gLC5Cs_66Ye2Qxbm0Uvy8X1MD-wt28mrDjvsjg','yn9GDudO8tTeuvZWJYc6kRrszgkLWTmjBYVNwVUyXtk');
INSERT INTO "audit_event" VALUES('demo',15,1795422614394,'login_token.issued','success',NULL,'alice','demo-app','demo-web',NULL,'AaIHhvN6RzPW52RME_cDkA','127.0.0.1',NULL,'AaIHhvN5ORilSRqLX66d',NULL,'yn9GDudO8tTeuvZWJYc6kRrszgkLWTmjBYVNwVUyXtk','Oo9YU5pmgcJX9363WOwNuL5Vw9voefb6xTftb5K13p0');
INSERT INTO "audit_event" VALUES('demo',16,1795422614397,'login_token.redeemed','success',NULL,'alice','demo-app','demo-web','AaIHhvN9_aLdI_vmBKwG2gSpFP5D9w','AaIHhvN6RzPW52RME_cDkA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvN9jfO0Mw_iaE75',NULL,'Oo9YU5pmgcJX9363WOwNuL5Vw9voefb6xTftb5K13p0','p2t3ZOpIXk1gDym0CuYb3-DWLN21l15Xk48SaGhZmHE');
INSERT INTO "audit_event" VALUES('demo',17,1795422614397,'web_session.opened','success','login_token','alice','demo-app','demo-web','AaIHhvN9_aLdI_vmBKwG2gSpFP5D9w','AaIHhvN6RzPW52RME_cDkA','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvN9jfO0Mw_iaE75',NULL,'p2t3ZOpIXk1gDym0CuYb3-DWLN21l15Xk48SaGhZmHE','wUNxv2GZmDCWBzaqGDyoUH1qwlXAxiowt5ph0iU9CSs');
INSERT INTO "audit_event" VALUES('demo',18,1795422614400,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'AaIHhvOAZV8xvForoRTWsw','127.0.0.1',NULL,'AaIHhvOAcn10O5v9L3vR',NULL,'wUNxv2GZmDCWBzaqGDyoUH1qwlXAxiowt5ph0iU9CSs','uwUZxiFTWxZUXGIq00sYpCmwmN9e0hllpPg0a9US8qQ');
INSERT INTO "audit_event" VALUES('demo',19,1795422614412,'login_token.redeemed','success',NULL,'carol','demo-app','demo-web','AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','AaIHhvOAZV8xvForoRTWsw','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvOMbxV8AX26XhRj',NULL,'uwUZxiFTWxZUXGIq00sYpCmwmN9e0hllpPg0a9US8qQ','MFn0chmjP-f8PWby4CNerTtDWsDW3v9tejIiXENhpWU');
INSERT INTO "audit_event" VALUES('demo',20,1795422614412,'web_session.opened','success','login_token','carol','demo-app','demo-web','AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','AaIHhvOAZV8xvForoRTWsw','127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvOMbxV8AX26XhRj',NULL,'MFn0chmjP-f8PWby4CNerTtDWsDW3v9tejIiXENhpWU','7hZuTPHcCW22uNBle5aTnkzDUkv2GCu72N9HSdbT_Ok');
INSERT INTO "audit_event" VALUES('demo',21,1795422614414,'login_token.replayed','failure','replayed','carol','demo-app','demo-web','AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','AaIHhvOAZV8xvForoRTWsw','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhvOO8QRBaJDKXVPL',NULL,'7hZuTPHcCW22uNBle5aTnkzDUkv2GCu72N9HSdbT_Ok','DYz7gIJNPkMlXsfSPLk3cZ1GoJ3m9ytbrb4uTT2NiPQ');
INSERT INTO "audit_event" VALUES('demo',22,1795422614414,'web_session.ended','success','token_replayed','carol','demo-app','demo-web','AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','AaIHhvOAZV8xvForoRTWsw','127.0.0.1','Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1','AaIHhvOO8QRBaJDKXVPL',NULL,'DYz7gIJNPkMlXsfSPLk3cZ1GoJ3m9ytbrb4uTT2NiPQ','UaHyoP0sTlkSvEZmbGGU5CqFhFI2K1B7R5Ym0Sth0qM');
INSERT INTO "audit_event" VALUES('demo',23,1795422614423,'login_token.issued','success',NULL,'carol','demo-app','demo-web',NULL,'AaIHhvOX5Qzq1UvNA6ygRQ','127.0.0.1',NULL,'AaIHhvOXTUOHhWmlQvbF',NULL,'UaHyoP0sTlkSvEZmbGGU5CqFhFI2K1B7R5Ym0Sth0qM','Gi1Yn-iNVVgPKXFQKT03rXdZ-WFZzeuhE3DfBhYp2eM');
INSERT INTO "audit_event" VALUES('demo',24,1795422614426,'login_token.revoked','success','by_app','carol','demo-app',NULL,NULL,'AaIHhvOX5Qzq1UvNA6ygRQ','127.0.0.1',NULL,'AaIHhvOZ1MkRzsYbPUj_',NULL,'Gi1Yn-iNVVgPKXFQKT03rXdZ-WFZzeuhE3DfBhYp2eM','0yfkpOFVUOxoVAru-91-5ZEz01jMVV2RAJEMrrUiuHg');
INSERT INTO "audit_event" VALUES('demo',25,1795422614448,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhvOwg-IERWSy7IhHwUKNlUrv_g',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvOwLQqM5UFBpMUI',NULL,'0yfkpOFVUOxoVAru-91-5ZEz01jMVV2RAJEMrrUiuHg','fXua_4S0BMu_9dkgD3K0jQq9ioRAtS8XxEPGV7crGQo');
INSERT INTO "audit_event" VALUES('demo',26,1795422614448,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhvOwg-IERWSy7IhHwUKNlUrv_g',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvOwLQqM5UFBpMUI',NULL,'fXua_4S0BMu_9dkgD3K0jQq9ioRAtS8XxEPGV7crGQo','0zoizjRF7_CYgZVQ1KAftyUY12SJOk0n20QDEf0iSIc');
INSERT INTO "audit_event" VALUES('demo',27,1795422614520,'consent.granted','success',NULL,'alice','demo-app',NULL,NULL,NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvP41UIPlQMjD87x',NULL,'0zoizjRF7_CYgZVQ1KAftyUY12SJOk0n20QDEf0iSIc','7CNAovEyh77ftxwcCbN9XAFnGrLlrEB_OyXsJtYsPNM');
INSERT INTO "audit_event" VALUES('demo',28,1795422614520,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhvOwg-IERWSy7IhHwUKNlUrv_g',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvP41UIPlQMjD87x',NULL,'7CNAovEyh77ftxwcCbN9XAFnGrLlrEB_OyXsJtYsPNM','Yg_5sm5ovFs-zNldn5tsEoXfUGz0IdztRwu1MvNcezg');
INSERT INTO "audit_event" VALUES('demo',29,1795422614544,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvQQwZefIHfDx-5R',NULL,'Yg_5sm5ovFs-zNldn5tsEoXfUGz0IdztRwu1MvNcezg','zqPNRztB2_CS_Jop16EDA3ZgkQUgrZbkDxeAJm1Zbik');
INSERT INTO "audit_event" VALUES('demo',30,1795422614544,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvQQwZefIHfDx-5R',NULL,'zqPNRztB2_CS_Jop16EDA3ZgkQUgrZbkDxeAJm1Zbik','YDdP1aaLY5qaWlb_MwRnn3lvBbuv0WU1SqrFoB8ZXSY');
INSERT INTO "audit_event" VALUES('demo',31,1795422614544,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvQQwZefIHfDx-5R','{"device_secret_id":"AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg"}','YDdP1aaLY5qaWlb_MwRnn3lvBbuv0WU1SqrFoB8ZXSY','OdXLC-lSm1aPOdd1cE5grF8CZ100P-q4W2VzZvEpVi0');
INSERT INTO "audit_event" VALUES('demo',32,1795422614571,'refresh_token.rotated','success',NULL,'alice','demo-app',NULL,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvQrHJwY-a5vUhuR',NULL,'OdXLC-lSm1aPOdd1cE5grF8CZ100P-q4W2VzZvEpVi0','O7OkYPpD8e0wH3fmg3QWPBbjp1tvWw6KUx5D2VLfr4Q');
INSERT INTO "audit_event" VALUES('demo',33,1795422614571,'device_secret.issued','success','refresh','alice','demo-app',NULL,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvQrHJwY-a5vUhuR','{"device_secret_id":"AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg"}','O7OkYPpD8e0wH3fmg3QWPBbjp1tvWw6KUx5D2VLfr4Q','O81L0N5oiNTzS5xg7ZV8kZzEBsmBBUgz2MPskWZ2Z5s');
INSERT INTO "audit_event" VALUES('demo',34,1795422614598,'user.signed_in','success',NULL,'alice',NULL,'demo-web','AaIHhvRG94tVOsvDNNvIHHyjg32RYA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvRGRr_hN8a4Svlo',NULL,'O81L0N5oiNTzS5xg7ZV8kZzEBsmBBUgz2MPskWZ2Z5s','YjHC-_IE3JwGbiGGYCZjH53Yx5TlP0f1aAQ3ccR06x8');
INSERT INTO "audit_event" VALUES('demo',35,1795422614598,'web_session.opened','success',NULL,'alice',NULL,'demo-web','AaIHhvRG94tVOsvDNNvIHHyjg32RYA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvRGRr_hN8a4Svlo',NULL,'YjHC-_IE3JwGbiGGYCZjH53Yx5TlP0f1aAQ3ccR06x8','7P35qWLOW80kokI1uPfC37MwkMDLtVybvx4F6FaAcqw');
INSERT INTO "audit_event" VALUES('demo',36,1795422614895,'authorization_code.issued','success',NULL,'alice','demo-app',NULL,'AaIHhvRG94tVOsvDNNvIHHyjg32RYA',NULL,'127.0.0.1','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0','AaIHhvVu8QbJUlkSzap3',NULL,'7P35qWLOW80kokI1uPfC37MwkMDLtVybvx4F6FaAcqw','fZOzqgAGAsEaQxbZPIEXY3dg2uUQfKVTc8eQn1o75Ug');
INSERT INTO "audit_event" VALUES('demo',37,1795422614899,'authorization_code.redeemed','success',NULL,'alice','demo-app',NULL,'AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvVzjjpXSJNa1ZAf',NULL,'fZOzqgAGAsEaQxbZPIEXY3dg2uUQfKVTc8eQn1o75Ug','8PhckuNKaN3LPpQIMFeTZjG5k1D_dw7ZgYTjnCblDmU');
INSERT INTO "audit_event" VALUES('demo',38,1795422614899,'app_session.opened','success',NULL,'alice','demo-app',NULL,'AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvVzjjpXSJNa1ZAf',NULL,'8PhckuNKaN3LPpQIMFeTZjG5k1D_dw7ZgYTjnCblDmU','d7dy63cR8dIJ081XmsZ-phyl5WnTNJzmjhHgn4_g9tw');
INSERT INTO "audit_event" VALUES('demo',39,1795422614899,'device_secret.issued','success',NULL,'alice','demo-app',NULL,'AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvVzjjpXSJNa1ZAf','{"device_secret_id":"AaIHhvVzgu9Zh2Nf8GmGVHdH1qGxkA"}','d7dy63cR8dIJ081XmsZ-phyl5WnTNJzmjhHgn4_g9tw','kBXYdbCexs4zJxsT23U2ECMQ4qwLrCbu53Ae4LZnm9U');
INSERT INTO "audit_event" VALUES('demo',40,1795422614938,'app_session.ended','success','revoked','alice','demo-app',NULL,'AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg',NULL,'127.0.0.1','ExampleApp/3.1','AaIHhvWa0yb5HUWcR74n',NULL,'kBXYdbCexs4zJxsT23U2ECMQ4qwLrCbu53Ae4LZnm9U','dy8ORGFF2NO8pbKTVJDqEjVgyuDaj66GHS09J7qJS6Q');
INSERT INTO "audit_event" VALUES('demo',41,1795422614960,'node.stopped','success',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'dy8ORGFF2NO8pbKTVJDqEjVgyuDaj66GHS09J7qJS6Q','-kS93mGqZBg4By_oCPIj6OY8X93p73uY2Iy3oRUO1pg');
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
INSERT INTO "authorization_code" VALUES('I4Sf2uQpdC4bHOGaLlMAVv5CyRY3YNrF3zKT1ggrhV0','demo-app','https://app.example.com/callback','Kuw1SSG3zdHIJ1Qxl6R5WIqL30NMoVpP9CxbjE1ag2A',NULL,'openid profile offline_access device_sso','alice',1795422614448,'aal1','["pwd"]','AaIHhvOwg-IERWSy7IhHwUKNlUrv_g',NULL,NULL,1795422614520,1795422674520,0,1795422614544,'AaIHhvQQwK9mN6kar1asUpztgUEWzw',NULL);
INSERT INTO "authorization_code" VALUES('LExIAbfhG7sHZtdXkGDNQg7uZnTs6_iAki-T6GfZCVM','demo-app','https://app.example.com/callback','9tX7uK1PjVm0Ig5tLEddOzzOndFj4ezLpKo1dJvVTqE',NULL,'openid profile offline_access device_sso','alice',1795422614598,'aal1','["pwd"]','AaIHhvRG94tVOsvDNNvIHHyjg32RYA',NULL,NULL,1795422614895,1795422674895,0,1795422614899,'AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg',NULL);
CREATE TABLE client (
    client_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL, updated_at BIGINT NOT NULL);
INSERT INTO "client" VALUES('demo-app','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}',1795422613587);
INSERT INTO "client" VALUES('demo-app-b','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}',1795422613591);
INSERT INTO "client" VALUES('demo-web','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"IS1RQnZI5Jw6VvSGXzJf3UlaZeQNlF86yAHMnek5oNw","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422613592);
INSERT INTO "client" VALUES('demo-webview','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}',1795422613598);
INSERT INTO "client" VALUES('demo-rp','{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"4JQdbzWID-MlKHGFW1ylEQBYpWIT_rj1zVW6jnkd2MM","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422613602);
INSERT INTO "client" VALUES('demo-admin','{"accepts_endpoint_audience":false,"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"2IHvWawkoOoLvjRi2oFsN1THtD0XqjxxAGkJh5sFGY0","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}',1795422613606);
CREATE TABLE client_assertion_use (
    digest TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE consent (
    subject TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
    granted_at BIGINT NOT NULL, PRIMARY KEY (subject, client_id)) WITHOUT ROWID;
INSERT INTO "consent" VALUES('alice','demo-app','device_sso offline_access openid profile',1795422614520);
CREATE TABLE demo_material (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE device_secret (
    id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    session_id TEXT NOT NULL, name TEXT, platform TEXT, created_at BIGINT NOT NULL,
    last_used_at BIGINT, use_count BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    key_thumbprint TEXT, revoked_at BIGINT, revoke_reason TEXT);
INSERT INTO "device_secret" VALUES('AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg','alice','demo-app','AaIHhvQQwK9mN6kar1asUpztgUEWzw','ExampleApp/3.1',NULL,1795422614544,NULL,0,1798014614544,NULL,NULL,NULL);
INSERT INTO "device_secret" VALUES('AaIHhvVzgu9Zh2Nf8GmGVHdH1qGxkA','alice','demo-app','AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg','ExampleApp/3.1',NULL,1795422614899,NULL,0,1798014614899,NULL,NULL,NULL);
CREATE TABLE device_secret_digest (
    digest TEXT NOT NULL PRIMARY KEY, device_secret_id TEXT NOT NULL, issued_at BIGINT NOT NULL,
    replaced_at BIGINT, overlap_used_at BIGINT);
INSERT INTO "device_secret_digest" VALUES('Z5HIjSkOru7MiE0Ix86HvgkSsypuvazAuuRsedcby9w','AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg',1795422614544,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('6f8lSOCdgO600AZ2x6324zmlJiI92wMOeCHMcACtmpo','AaIHhvQQ8Ph-OIH9PqU_5Os_rpoYpg',1795422614571,NULL,NULL);
INSERT INTO "device_secret_digest" VALUES('i7ocdfwTLbW1MOvq-NqF6vS13NdBiaKG0TBMvWQD3eg','AaIHhvVzgu9Zh2Nf8GmGVHdH1qGxkA',1795422614899,NULL,NULL);
CREATE TABLE heartbeat (node TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency_key (
    key_digest TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, token_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL, payload TEXT NOT NULL, expires_at BIGINT NOT NULL);
CREATE TABLE login_token_use (
    token_id TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'redeemed', 'revoked')),
    misses BIGINT NOT NULL, used_at BIGINT, session_id TEXT, address TEXT,
    agent_digest TEXT, scope TEXT, issued_after_end BIGINT);
INSERT INTO "login_token_use" VALUES('AaIHhvN6RzPW52RME_cDkA','alice','demo-app',1795422614000,1795422674000,'redeemed',0,1795422614397,'AaIHhvN9_aLdI_vmBKwG2gSpFP5D9w','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE',NULL,NULL);
INSERT INTO "login_token_use" VALUES('AaIHhvOAZV8xvForoRTWsw','carol','demo-app',1795422614000,1795422674000,'redeemed',0,1795422614412,'AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','127.0.0.1','1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE',NULL,NULL);
INSERT INTO "login_token_use" VALUES('AaIHhvOX5Qzq1UvNA6ygRQ','carol','demo-app',1795422614000,1795422674000,'revoked',0,1795422614426,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "refresh_token" VALUES('TH9ph-jh_Fm4ZP24o2PwjSwRLrLgN5wnjHtNZcB86qY','AaIHhvQQwK9mN6kar1asUpztgUEWzw','openid profile offline_access device_sso',NULL,1795422614544,1798014614544,1795422614571,'fnzorRoFvzQQKEXm6XiTlCqkwYSCHbm3Ke6BAqeyrok');
INSERT INTO "refresh_token" VALUES('fnzorRoFvzQQKEXm6XiTlCqkwYSCHbm3Ke6BAqeyrok','AaIHhvQQwK9mN6kar1asUpztgUEWzw','openid profile offline_access device_sso',NULL,1795422614571,1798014614571,NULL,NULL);
INSERT INTO "refresh_token" VALUES('3vCH_xWWDSWbikydEit9nkPrh0It3t1wOliUEHYu_I0','AaIHhvVzFo_RZJ-xaHR3kfw0cO4lMg','openid profile offline_access device_sso',NULL,1795422614899,1798014614899,NULL,NULL);
CREATE TABLE revoked_token (
    token_id TEXT NOT NULL PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE schema_migration (
    version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'users, clients, login tokens, sessions, audit',1795422613101);
INSERT INTO "schema_migration" VALUES(2,'codes, app sessions, refresh tokens, signing keys',1795422613101);
INSERT INTO "schema_migration" VALUES(3,'accounts, second factors, consent, pushed requests',1795422613101);
INSERT INTO "schema_migration" VALUES(4,'device secrets, settings, refresh cookies',1795422613101);
INSERT INTO "schema_migration" VALUES(5,'administration, audit by address, session and token',1795422613101);
INSERT INTO "schema_migration" VALUES(6,'audit by user, first signing keys, a demo''s secrets',1795422613101);
INSERT INTO "schema_migration" VALUES(7,'webhooks of websites',1795422613101);
INSERT INTO "schema_migration" VALUES(9,'audit forwarding',1795422613101);
INSERT INTO "schema_migration" VALUES(10,'standard claims of accounts',1795422613101);
INSERT INTO "schema_migration" VALUES(11,'lineage of sessions, ends in the order of commits',1795422613101);
INSERT INTO "schema_migration" VALUES(12,'signed cuts of the audit log',1795422613101);
INSERT INTO "schema_migration" VALUES(13,'login token keys, keys of several nodes',1795422613101);
INSERT INTO "schema_migration" VALUES(14,'clients'' assertions that were used',1795422613101);
INSERT INTO "schema_migration" VALUES(15,'what opened the console''s sessions',1795422613101);
INSERT INTO "schema_migration" VALUES(16,'login tokens in the order of ends',1795422613101);
INSERT INTO "schema_migration" VALUES(17,'audit log in sealed segments',1795422613101);
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE signing_key (
    id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, sealed_key TEXT NOT NULL,
    public_key TEXT NOT NULL, created_at BIGINT NOT NULL, signs_from BIGINT NOT NULL,
    retires_at BIGINT, signs_when_known BIGINT NOT NULL DEFAULT 0, withdrawn_at BIGINT, added_in BIGINT NOT NULL DEFAULT 0);
INSERT INTO "signing_key" VALUES('pc9M6FjFfoVy','HS256','uJ-XP38ciBusHr_XsVNbqIQgeQGOs8iGp6lCOL9H-uaIUUU6I7eBP5ie2HrSDkS6fwBTg5AHHtKqfT74','{}',1795422613614,1795422613614,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('xwv1gyxvBhHVaab3ts0pvGn5g4NeoL6eAgcgsCInlEs','ES256','VNtIl5xJ5VJlSiDUmyvoJyx10sFvqqCKwobI_YP5IVSA9R0YESeo6beaK9RqCF2AaFQ7rAXCJyfkkByS','{"alg":"ES256","crv":"P-256","kid":"xwv1gyxvBhHVaab3ts0pvGn5g4NeoL6eAgcgsCInlEs","kty":"EC","use":"sig","x":"8PvbquVEMAnCmWDIhebD1tfxc42gTCg0F6HI4QJ8vJI","y":"dX0fjYSHGCj9o4CTHDRUwDrOcSSU0hkIvDjyHK3rqjI"}',1795422613614,1795422613614,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('VRPC0OFfWwtYcQnqCZpmfUV2ob4_8Ad9iPi0l1yYEa4','RS256','daLnBq3vgJ-2iB7wEmkjwXObc5g53M0_k7YBwYGfnorQ5AxmnPmr505UFI66ZezRuFc0_TBQ8o5N-Y2MpK-Les6UaJy45vKx2qmnr1Li7aRNBeLyTQbkGx5spx6f9QgUQO7xWdJ5QNJttkoxdEqe2m7JMLKxRfBiHdX2Q0GzvpxCZZglkQg01g7DFustI1Za0hEemefVZEvdSpaqu61y_AAnezNTkUTOoARrKAaKnVmiGdPogggqGwpkUDQa7_ALqq9RhrLQeVDjzYMJ69Jn61rkUqLRn8bIxQVKOfEc70zI8F2KyqFwUYaVG0deDSCfQR-A023qkjtYXZKk0VoocsUpGBAL6AWXtBpm0STV80ELpPrh6MbY3Gt5LeO1L7WXYfEO12lD-p2vCMbIN-yBXyHYSIBVEBUYYqMEHn0j12AOneLnNGcbITdFQ1c1YntX90ZzDgS2gxtsyQ375ZHZJzShBMCovdULWuyJ1Oo3_hVk58d8H2XApF-upoCVIA9d4EJaSW86XjyHKk-pPdcCDh3G4G2RcxLlSAI_ppHHnI8Cs9zsNi_QsX-_5WJm4PVxubFg5KH_F2lNAkziK4L9htGHvNTy8S97jKSVBmyjnmRPLlluPQ7eRNVawJ7KuXZDqSjN_NDvHLb0rJNfXOqJl352Cwpqo8qsPdpayWNqMIKuexF-7ecCWzuFbuD_WuEcAhQTBF39UYhsBaof-bHutQVc9z0WP9VeOw2XteJl8i1hx601ZiEU2p8EMmktDSYNDGD1K68x47OWftpx9O5m1PyW_zYm2Vn6v0DpCPo7Vk5x-XersBce0muPeFnx-s2n_4k1VMkjdX9viduPq-o3FgEDUSuZS-Xvhpch1mnXFIT4TgPTc61aeyLmnbtA9oja2ew2biGJn-eaTUZ6c2XbyrEe1nsjkwUZHVO3qMd3sACSEDmVHHsdtRhydVJzOvLidWepkVd81QLQWZzg0U7lfo6qmluDT5-1spb5pZ_NgIw88Z0aEVGzb71P0E2Ker0oaLoU0T2CHDu_HQI13TiOBoC7vLXW8J5nHra4AGCu2y83bruo7HzlMcHrXkfbLNmKZJUCZrU6SzM5fXiAGgH6ojn7u2KvfYy7cyss51p-xvJ2ntddIb2LU47vzG2kpaVkTm55_bcQZ5oDtfgk9GrjY0yBqNeQQY4P45Pjt5s0TWi31YBSMkrSD-TrSysA-7IM0dbEx7AqINOYJdfb-VQ1fLZmDdkX28hlo6Io4_ryk4HFfuFaIHBMCEuAmBbr6i8uqxzLXqVP_exS6D4e-asxE1l7zGCDBfkAIY-DMfeiU9_xrc6twK4acr1I3gx3xIwPTTLtlYbCnhGOFPpjunjAZV3eWmywL49Mbm_tXTpLTqeYMRCOEKpdvaNj_uVNSxrZ6qf7Btn25XDwBuBX7ZYLASYhMdVfjOFli8wn4eMFwEqu4DkTu40uK5JfrBEI0aLrmRq4hNQNq8tr5fuoEXd2vcfD7LP97Ttk6_LjESiNWwP6ikyCvSJstyQZJy8ya3ImUqO7etQysf5jQ-_WvCdmHX3LR081L0I6l9UP2f2kEYEaetpFhLAIyqpiS3NJKUfljUVyshsFvgxlZIuGICXBia7U','{"alg":"RS256","e":"AQAB","kid":"VRPC0OFfWwtYcQnqCZpmfUV2ob4_8Ad9iPi0l1yYEa4","kty":"RSA","n":"kY-0XiwkXp76N69G6soG7aldjRINsYG0AF5cO5g_-DCAeCX_01zUsDf6VHTSChaRfBtZqiedn2r-_wLZ8_m8Wrdy9l5TB_9NUkU16r-f5q8dUDhhm9frHSyf2BvJO5DpcIWAo4cehVNUxWS3HSzmL9xy5CeOiyzBPe6J0ld5MLdQJDtHwiCVdVK71jQUSPeKwz-yVPFL71OkDT7hzXjVp5CtrABH0SiklvR4RTiuIoTl5ssuffDs0XcZ5D8Hnpkg4pGHGflvmJAGJWQxXavaoqZAyUTqXw2KmOwzlzFOTJy9pPalU3DWkwbd43si1E6wam8ogwY3QXitLZqGQiayvQ","use":"sig"}',1795422613614,1795422613614,NULL,0,NULL,1);
INSERT INTO "signing_key" VALUES('HOxiroThlv3aZPnQifEgusKwE1-4-dFBIUgzjrvh7cU','EdDSA','tHiTx40uVY1gJpKmLAOyL8fcce4i8xCXW4_OHfiOgOqH0NWWqzAnCH-eJMuf4a843mtotMXGVNnfgtbc','{"alg":"EdDSA","crv":"Ed25519","kid":"HOxiroThlv3aZPnQifEgusKwE1-4-dFBIUgzjrvh7cU","kty":"OKP","use":"sig","x":"M0kEr94AvFJPGL5XXLFV9u3FrlajtST9EqzhwGzdTpI"}',1795422613614,1795422613614,NULL,0,NULL,1);
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
    ended_at BIGINT, login_token_issued_at BIGINT, ancestry TEXT, scope TEXT, ended_in BIGINT,
    UNIQUE (login_token_issued_at, login_token_id));
INSERT INTO "web_session" VALUES('AaIHhvN9_aLdI_vmBKwG2gSpFP5D9w','HeUr8PRDXCvB64H9wrL0T3nQ_1w6Bga96NWIeAqB2PU','alice','demo-web','demo-app',NULL,'AaIHhvN6RzPW52RME_cDkA','login_token',NULL,NULL,NULL,1795422614397,1795465814397,1800000,1795422614397,NULL,1795422614000,NULL,NULL,NULL);
INSERT INTO "web_session" VALUES('AaIHhvOMT2yQBlmJgx6e5FCZ2ZtXJQ','lOBsv04y6oyEtWKmUWI_QjnCyhFOE_t_JKECHjQE3hM','carol','demo-web','demo-app',NULL,'AaIHhvOAZV8xvForoRTWsw','login_token',NULL,NULL,NULL,1795422614412,1795465814412,1800000,1795422614412,1795422614414,1795422614000,NULL,NULL,1);
INSERT INTO "web_session" VALUES('AaIHhvOwg-IERWSy7IhHwUKNlUrv_g','wV4RwjFlBnOoq5fMh6MqA1NEufb-3Is34A4tJijo8cc','alice','demo-web',NULL,NULL,NULL,'authorize',1795422614448,'aal1','["pwd"]',1795422614448,1795465814448,1800000,1795422614448,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "web_session" VALUES('AaIHhvRG94tVOsvDNNvIHHyjg32RYA','pTuRB0eHeU_QMVdRcajU7_dZ0JP-f95GgbLQkxs7zmY','alice','demo-web',NULL,NULL,NULL,'authorize',1795422614598,'aal1','["pwd"]',1795422614598,1795465814598,1800000,1795422614598,NULL,NULL,NULL,NULL,NULL);
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
COMMIT;
