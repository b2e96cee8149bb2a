--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account (
    subject text NOT NULL COLLATE pg_catalog."C",
    username text COLLATE pg_catalog."C",
    username_key text COLLATE pg_catalog."C",
    display_name text COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    role text COLLATE pg_catalog."C",
    second_factor text COLLATE pg_catalog."C",
    second_factor_step bigint,
    created_at bigint NOT NULL,
    password_changed_at bigint NOT NULL,
    claims text COLLATE pg_catalog."C",
    claims_changed_at bigint
);


--
-- Name: admin_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.admin_session (
    secret_digest text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_seen_at bigint NOT NULL
);


--
-- Name: app_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_session (
    id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    opening text NOT NULL COLLATE pg_catalog."C",
    auth_time bigint,
    acr text COLLATE pg_catalog."C",
    amr text COLLATE pg_catalog."C",
    browser_session_id text COLLATE pg_catalog."C",
    device_secret_id text COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    requested_claims text COLLATE pg_catalog."C",
    wants_logout_notice bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint
);


--
-- Name: app_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_user (
    subject text NOT NULL COLLATE pg_catalog."C",
    issuer text NOT NULL COLLATE pg_catalog."C",
    first_seen_at bigint NOT NULL,
    disabled_at bigint
);


--
-- Name: audit_checkpoint; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_checkpoint (
    node text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    at bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    note text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: audit_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_event (
    node text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    client_id text COLLATE pg_catalog."C",
    target_client_id text COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    token_id text COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    user_agent text COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    detail text COLLATE pg_catalog."C",
    previous_hash text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: audit_forward; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_forward (
    target text NOT NULL COLLATE pg_catalog."C",
    node text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: audit_tally; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_tally (
    at bigint NOT NULL,
    node text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    events bigint NOT NULL
);


--
-- Name: audit_tally_progress; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_tally_progress (
    node text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL
);


--
-- Name: authorization_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.authorization_code (
    digest text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    redirect_uri text NOT NULL COLLATE pg_catalog."C",
    code_challenge text COLLATE pg_catalog."C",
    nonce text COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    auth_time bigint,
    acr text COLLATE pg_catalog."C",
    amr text COLLATE pg_catalog."C",
    browser_session_id text COLLATE pg_catalog."C",
    requested_claims text COLLATE pg_catalog."C",
    proof_key text COLLATE pg_catalog."C",
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    misses bigint NOT NULL,
    redeemed_at bigint,
    session_id text COLLATE pg_catalog."C"
);


--
-- Name: client; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.client (
    client_id text NOT NULL COLLATE pg_catalog."C",
    document text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL
);


--
-- Name: consent; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.consent (
    subject text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    granted_at bigint NOT NULL
);


--
-- Name: demo_material; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.demo_material (
    name text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: device_secret; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_secret (
    id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    platform text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    last_used_at bigint,
    use_count bigint NOT NULL,
    expires_at bigint NOT NULL,
    key_thumbprint text COLLATE pg_catalog."C",
    revoked_at bigint,
    revoke_reason text COLLATE pg_catalog."C"
);


--
-- Name: device_secret_digest; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_secret_digest (
    digest text NOT NULL COLLATE pg_catalog."C",
    device_secret_id text NOT NULL COLLATE pg_catalog."C",
    issued_at bigint NOT NULL,
    replaced_at bigint,
    overlap_used_at bigint
);


--
-- Name: first_signing_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.first_signing_key (
    algorithm text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: heartbeat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.heartbeat (
    node text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);


--
-- Name: idempotency_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_key (
    key_digest text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    token_id text NOT NULL COLLATE pg_catalog."C",
    signing_key_id text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: login_token_use; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_token_use (
    token_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    misses bigint NOT NULL,
    used_at bigint,
    session_id text COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    agent_digest text COLLATE pg_catalog."C",
    CONSTRAINT login_token_use_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'redeemed'::text, 'revoked'::text])))
);


--
-- Name: logout_notice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.logout_notice (
    id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL
);


--
-- Name: pushed_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pushed_request (
    digest text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    parameters text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    used_at bigint
);


--
-- Name: recovery_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recovery_code (
    subject text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    used_at bigint
);


--
-- Name: refresh_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refresh_token (
    digest text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    proof_key text COLLATE pg_catalog."C",
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    rotated_at bigint,
    successor_digest text COLLATE pg_catalog."C"
);


--
-- Name: revoked_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.revoked_token (
    token_id text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: schema_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migration (
    version bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    applied_at bigint NOT NULL
);


--
-- Name: setting; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL
);


--
-- Name: signing_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key (
    id text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL COLLATE pg_catalog."C",
    sealed_key text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL,
    retires_at bigint
);


--
-- Name: state_sample; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.state_sample (
    name text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    value bigint NOT NULL
);


--
-- Name: upstream_identity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.upstream_identity (
    issuer text NOT NULL COLLATE pg_catalog."C",
    external_subject text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    linked_at bigint NOT NULL
);


--
-- Name: web_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.web_session (
    id text NOT NULL COLLATE pg_catalog."C",
    secret_digest text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    app_client_id text COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    login_token_id text COLLATE pg_catalog."C",
    opening text NOT NULL COLLATE pg_catalog."C",
    auth_time bigint,
    acr text COLLATE pg_catalog."C",
    amr text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    idle_lifetime bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    ended_at bigint,
    login_token_issued_at bigint
);


--
-- Name: web_session_refresh; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.web_session_refresh (
    digest text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    parent_digest text COLLATE pg_catalog."C",
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    is_void bigint NOT NULL
);


--
-- Name: webhook_notice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_notice (
    id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    object_id text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    ended_at bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL
);


--
-- Name: webhook_subscriber; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_subscriber (
    client_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Data for Name: account; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.account VALUES ('alice', 'alice', 'alice', 'Alice', 'alice@example.com', '$scrypt$ln=14,r=8,p=1$kisoqNMilMNZBR1mR7BSVQ$nyRHiKOQcwUw6StOfQxav7530M0TXkyslvThWdbRf9o', NULL, NULL, NULL, 1795422609443, 1795422609443, NULL, NULL);
INSERT INTO public.account VALUES ('bob', 'bob', 'bob', 'Bob', 'bob@example.com', '$scrypt$ln=14,r=8,p=1$MAbiBTxW0nhVCOz2u0THow$A75hA7iA2Uyhbza_rPOvIScUMzooXA8nkvFot8gGEz0', NULL, NULL, NULL, 1795422609443, 1795422609443, NULL, NULL);
INSERT INTO public.account VALUES ('admin', 'admin', 'admin', 'Admin', 'admin@example.com', '$scrypt$ln=14,r=8,p=1$HvTaDTdA9kf10RfjVmczuQ$vB_jA8yNfoN-2w-6nzt2Sn5E-iT5BL7riqTVUgx1Np8', 'admin', NULL, NULL, 1795422609443, 1795422609443, NULL, NULL);


--
-- Data for Name: admin_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: app_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_session VALUES ('AaIHhucn9Y_y9aUZEElwo8J6XiybaA', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422611059, 'aal1', '["pwd"]', 'AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', 'AaIHhucnMrxmZ53eT6fAgeHz-difpA', NULL, NULL, 0, 1795422611239, 1803198611239, NULL);
INSERT INTO public.app_session VALUES ('AaIHhugLDJPvTe2ceti-ZHxeug1b7A', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422611273, 'aal1', '["pwd"]', 'AaIHhudJcQoKGhXSREcgJampNiXOUw', 'AaIHhugL0b9RRz4F-qh4gw4DdQf0Vg', NULL, NULL, 0, 1795422611467, 1803198611467, 1795422611483);


--
-- Data for Name: app_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_user VALUES ('bob', 'drawbridge', 1795422609443, NULL);
INSERT INTO public.app_user VALUES ('admin', 'drawbridge', 1795422609443, NULL);
INSERT INTO public.app_user VALUES ('carol', 'https://backend.example', 1795422611003, NULL);
INSERT INTO public.app_user VALUES ('alice', 'drawbridge', 1795422609443, NULL);


--
-- Data for Name: audit_checkpoint; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_checkpoint VALUES ('demo-18080', 40, 1795422612002, 'lPP29tmE1gYJ4EpsmHCNNlp-Sx231OmWyDeeB_sKmEM', 'localhost/drawbridge/demo-18080
40
lPP29tmE1gYJ4EpsmHCNNlp+Sx231OmWyDeeB/sKmEM=
time 2026-11-23T08:30:12.002Z

— localhost/drawbridge nY9HybVt89X+gGP2aoROQPK/YUuPCRUAWckG/tbID3qJ6nZr/luzv5gKkIO2X62aK3CpaXq4BMHIkEv/s7LJMNHMDwg=
');


--
-- Data for Name: audit_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_event VALUES ('demo-18080', 1, 1795422609443, 'user.created', 'success', NULL, 'alice', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'IrkvVcrrKuxMLOZOipyKbFzywO9ED5Vm87LF7i8MdNM');
INSERT INTO public.audit_event VALUES ('demo-18080', 2, 1795422609443, 'user.created', 'success', NULL, 'bob', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'IrkvVcrrKuxMLOZOipyKbFzywO9ED5Vm87LF7i8MdNM', 'vlt2eZfhwkO1t-bp9z8cPIe8yUzE4XvMUesaQP_ylbQ');
INSERT INTO public.audit_event VALUES ('demo-18080', 3, 1795422609443, 'user.created', 'success', NULL, 'admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'vlt2eZfhwkO1t-bp9z8cPIe8yUzE4XvMUesaQP_ylbQ', 'NZvIp9S-PzznNa4Wpe398bt2sFrWmtb4ie99d0XfFQo');
INSERT INTO public.audit_event VALUES ('demo-18080', 4, 1795422610193, 'client.created', 'success', 'demo', NULL, 'demo-app', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'NZvIp9S-PzznNa4Wpe398bt2sFrWmtb4ie99d0XfFQo', 'E-yFZSXfePJzpVt4f7vEQXqk7x4UibTF-MTbp-qHzAY');
INSERT INTO public.audit_event VALUES ('demo-18080', 5, 1795422610211, 'client.created', 'success', 'demo', NULL, 'demo-app-b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'E-yFZSXfePJzpVt4f7vEQXqk7x4UibTF-MTbp-qHzAY', 'xpWdZxOJMkLu1hSWaFRZ2au51oGtbbTqxn-12ETll0I');
INSERT INTO public.audit_event VALUES ('demo-18080', 6, 1795422610217, 'client.created', 'success', 'demo', NULL, 'demo-web', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'xpWdZxOJMkLu1hSWaFRZ2au51oGtbbTqxn-12ETll0I', 'w79WqdZ5ZGUXUwh4pRUq5W0qv1pqioKJ7yrHgqKggDM');
INSERT INTO public.audit_event VALUES ('demo-18080', 7, 1795422610218, 'client.created', 'success', 'demo', NULL, 'demo-webview', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'w79WqdZ5ZGUXUwh4pRUq5W0qv1pqioKJ7yrHgqKggDM', 'AeTE9B8u6qzbUkj3EOKTelXLOiDwGYYCy0yF6FOi_sc');
INSERT INTO public.audit_event VALUES ('demo-18080', 8, 1795422610231, 'client.created', 'success', 'demo', NULL, 'demo-rp', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'AeTE9B8u6qzbUkj3EOKTelXLOiDwGYYCy0yF6FOi_sc', 'cYzE4B1lFxGQ4UQVyXHnVqgaiUBvHfLm5uE38yVjhRk');
INSERT INTO public.audit_event VALUES ('demo-18080', 9, 1795422610238, 'client.created', 'success', 'demo', NULL, 'demo-admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'cYzE4B1lFxGQ4UQVyXHnVqgaiUBvHfLm5uE38yVjhRk', 'Cuqmt_qE-klHGW6vZoekFILo8EGDbONrjEPuhK1geKU');
INSERT INTO public.audit_event VALUES ('demo-18080', 10, 1795422610291, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"ES256","kid":"6NSyKc08DtAbX4UkMn9_o0MB4VpFBguwDQUarlizr-4"}', 'Cuqmt_qE-klHGW6vZoekFILo8EGDbONrjEPuhK1geKU', 'J179eoHOvD8rpf5NSmG5c1tJBzPgQtKFhgAyxrXhccA');
INSERT INTO public.audit_event VALUES ('demo-18080', 11, 1795422610447, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"RS256","kid":"lXSk81xtBZapQiGG6EzFapFIe3Ri8pMUSXFG0ENx1Yw"}', 'J179eoHOvD8rpf5NSmG5c1tJBzPgQtKFhgAyxrXhccA', 'DHPu5gAZKmV5bSkyD46wljivx-PMtNYlbpIFQfCY-QE');
INSERT INTO public.audit_event VALUES ('demo-18080', 12, 1795422610457, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"EdDSA","kid":"Yy6b7jlSbuHG4qENkz3x0uh88P7vJ8IH32hGmBoWQQA"}', 'DHPu5gAZKmV5bSkyD46wljivx-PMtNYlbpIFQfCY-QE', 'H4EVRWJQZg_C0ClHwVIpU9QTbgAK527B3foe4LkkUsc');
INSERT INTO public.audit_event VALUES ('demo-18080', 13, 1795422610929, 'node.started', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'H4EVRWJQZg_C0ClHwVIpU9QTbgAK527B3foe4LkkUsc', '4Tdh-yPvY5NCsYrzBR4mw98GF3V9LFh6MagXQc8K90g');
INSERT INTO public.audit_event VALUES ('demo-18080', 14, 1795422610971, 'login_token.issued', 'success', NULL, 'alice', 'demo-app', 'demo-web', NULL, '2Vnlr62_hmqb3K0Nj2XnzQ', '127.0.0.1', NULL, 'AaIHhuYb_WJ3mZGqAe0Y', NULL, '4Tdh-yPvY5NCsYrzBR4mw98GF3V9LFh6MagXQc8K90g', 'dfPlgzOMxrnKOPPi9AzbWGpw5oLjWMYPZcXaIq1jBQ8');
INSERT INTO public.audit_event VALUES ('demo-18080', 15, 1795422610983, 'login_token.redeemed', 'success', NULL, 'alice', 'demo-app', 'demo-web', 'AaIHhuYncYd7rZCBV7ZDvXEz0yyiIQ', '2Vnlr62_hmqb3K0Nj2XnzQ', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuYm6j0DNk-oh-dY', NULL, 'dfPlgzOMxrnKOPPi9AzbWGpw5oLjWMYPZcXaIq1jBQ8', 'mj7QZHpsy2VGyjkD9K6W7Z5V_va4jF7fsp9XnbV6oo0');
INSERT INTO public.audit_event VALUES ('demo-18080', 16, 1795422610983, 'web_session.opened', 'success', 'login_token', 'alice', 'demo-app', 'demo-web', 'AaIHhuYncYd7rZCBV7ZDvXEz0yyiIQ', '2Vnlr62_hmqb3K0Nj2XnzQ', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuYm6j0DNk-oh-dY', NULL, 'mj7QZHpsy2VGyjkD9K6W7Z5V_va4jF7fsp9XnbV6oo0', 'aGHPOVZQtlqbaj9AaNWNmehg6VCOYTG0n6siN3qBDrs');
INSERT INTO public.audit_event VALUES ('demo-18080', 17, 1795422611003, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, '-k-VSr7O9Yh4IhBJWtrhyw', '127.0.0.1', NULL, 'AaIHhuY7aFgNmNtaSFma', NULL, 'aGHPOVZQtlqbaj9AaNWNmehg6VCOYTG0n6siN3qBDrs', 'tHEl5wsoyAWEJ8zJOfgDuNVQdtQTyHYHCvBKw-ieUlg');
INSERT INTO public.audit_event VALUES ('demo-18080', 18, 1795422611015, 'login_token.redeemed', 'success', NULL, 'carol', 'demo-app', 'demo-web', 'AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', '-k-VSr7O9Yh4IhBJWtrhyw', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuZH5y6XWxbyzmH4', NULL, 'tHEl5wsoyAWEJ8zJOfgDuNVQdtQTyHYHCvBKw-ieUlg', 'UnoVq_czrZBjECUw7TgvpOozqGrC1cs6EkclGplqSFU');
INSERT INTO public.audit_event VALUES ('demo-18080', 19, 1795422611015, 'web_session.opened', 'success', 'login_token', 'carol', 'demo-app', 'demo-web', 'AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', '-k-VSr7O9Yh4IhBJWtrhyw', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuZH5y6XWxbyzmH4', NULL, 'UnoVq_czrZBjECUw7TgvpOozqGrC1cs6EkclGplqSFU', 'A-q3__lpkVYEt_WwAYXmRuKnStmj1mFH7LONnUizDS8');
INSERT INTO public.audit_event VALUES ('demo-18080', 20, 1795422611027, 'login_token.replayed', 'failure', 'replayed', 'carol', 'demo-app', 'demo-web', 'AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', '-k-VSr7O9Yh4IhBJWtrhyw', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHhuZTB10F9p1XLiEO', NULL, 'A-q3__lpkVYEt_WwAYXmRuKnStmj1mFH7LONnUizDS8', 'bvJV5jCKF1tmp1mcudl6cPVD_bQbjzR8-GM2AcOwPrc');
INSERT INTO public.audit_event VALUES ('demo-18080', 21, 1795422611027, 'web_session.ended', 'success', 'token_replayed', 'carol', 'demo-app', 'demo-web', 'AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', '-k-VSr7O9Yh4IhBJWtrhyw', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHhuZTB10F9p1XLiEO', NULL, 'bvJV5jCKF1tmp1mcudl6cPVD_bQbjzR8-GM2AcOwPrc', 'lUAm4btVGRA3nxMV_vZ-Tv2gE-xopWm-sLozvIDwLZ8');
INSERT INTO public.audit_event VALUES ('demo-18080', 22, 1795422611039, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, 'G9cVsXS4dFQngXRDPpzpmg', '127.0.0.1', NULL, 'AaIHhuZfms0yqCu7luua', NULL, 'lUAm4btVGRA3nxMV_vZ-Tv2gE-xopWm-sLozvIDwLZ8', 'KzcAB7NgGA2EAuIcKfP8dwPi5m3RjEYiHvO363Ql0Ok');
INSERT INTO public.audit_event VALUES ('demo-18080', 23, 1795422611051, 'login_token.revoked', 'success', 'by_app', 'carol', 'demo-app', NULL, NULL, 'G9cVsXS4dFQngXRDPpzpmg', '127.0.0.1', NULL, 'AaIHhuZnaBBBpPizWoXD', NULL, 'KzcAB7NgGA2EAuIcKfP8dwPi5m3RjEYiHvO363Ql0Ok', '0RqgyyOEuy5_ty3WpIYDcFh-DXAQ-VI_ef3TDfA1sSk');
INSERT INTO public.audit_event VALUES ('demo-18080', 24, 1795422611059, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuZz-mxdempkr6If', NULL, '0RqgyyOEuy5_ty3WpIYDcFh-DXAQ-VI_ef3TDfA1sSk', 'rPkv8MexdZz87xVASHSClgEkq3_-mHJIJ0XEPq2yHGk');
INSERT INTO public.audit_event VALUES ('demo-18080', 25, 1795422611059, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhuZz-mxdempkr6If', NULL, 'rPkv8MexdZz87xVASHSClgEkq3_-mHJIJ0XEPq2yHGk', 'ii_eSbfkiXxV7fWBJ0CGsOfO5jNygKKDQriXWnzbNWg');
INSERT INTO public.audit_event VALUES ('demo-18080', 26, 1795422611219, 'consent.granted', 'success', NULL, 'alice', 'demo-app', NULL, NULL, NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhucTXZ7FNeTpvgBS', NULL, 'ii_eSbfkiXxV7fWBJ0CGsOfO5jNygKKDQriXWnzbNWg', 'Gd6k4o343IRTSO1KdRNNrWQU_MJSYPn3se9gCje_WTA');
INSERT INTO public.audit_event VALUES ('demo-18080', 27, 1795422611219, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhucTXZ7FNeTpvgBS', NULL, 'Gd6k4o343IRTSO1KdRNNrWQU_MJSYPn3se9gCje_WTA', 'hUNBOmEygSzoEE4XVuTDKKtNiPIUObz9H523A_PUUgE');
INSERT INTO public.audit_event VALUES ('demo-18080', 28, 1795422611239, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhucn3EPkC4-4b30r', NULL, 'hUNBOmEygSzoEE4XVuTDKKtNiPIUObz9H523A_PUUgE', '8QDQc23jo7j8EARMBxQhbE1XcvIrpvpy9oXI1bb_OWA');
INSERT INTO public.audit_event VALUES ('demo-18080', 29, 1795422611239, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhucn3EPkC4-4b30r', NULL, '8QDQc23jo7j8EARMBxQhbE1XcvIrpvpy9oXI1bb_OWA', 'va1c3GCfxhpVAn50GTFgBobsfuQz83q3jis1eL9NWas');
INSERT INTO public.audit_event VALUES ('demo-18080', 30, 1795422611239, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhucn3EPkC4-4b30r', '{"device_secret_id":"AaIHhucnMrxmZ53eT6fAgeHz-difpA"}', 'va1c3GCfxhpVAn50GTFgBobsfuQz83q3jis1eL9NWas', 'hGgEsTyFkkC1TZSSrxOVnIPIAEqwZLDPcomLrLt4-Qg');
INSERT INTO public.audit_event VALUES ('demo-18080', 31, 1795422611259, 'refresh_token.rotated', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhuc7mqje9S5kLVsU', NULL, 'hGgEsTyFkkC1TZSSrxOVnIPIAEqwZLDPcomLrLt4-Qg', 'E0B51yIpPQ2bDlpf40CBaukHdfEsLVk6rgYhWPLZCes');
INSERT INTO public.audit_event VALUES ('demo-18080', 32, 1795422611259, 'device_secret.issued', 'success', 'refresh', 'alice', 'demo-app', NULL, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhuc7mqje9S5kLVsU', '{"device_secret_id":"AaIHhucnMrxmZ53eT6fAgeHz-difpA"}', 'E0B51yIpPQ2bDlpf40CBaukHdfEsLVk6rgYhWPLZCes', 'FrveAJz3uIGFT6JCEXY9gnu-JGpJ2O80l2ByTS3Zmdg');
INSERT INTO public.audit_event VALUES ('demo-18080', 33, 1795422611273, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhudJcQoKGhXSREcgJampNiXOUw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhudJDX1X0g8CA1-E', NULL, 'FrveAJz3uIGFT6JCEXY9gnu-JGpJ2O80l2ByTS3Zmdg', 'hPyVJkVudR0ofYkLycE4FGGp4OBZt4z0ElqcVgEMLo0');
INSERT INTO public.audit_event VALUES ('demo-18080', 34, 1795422611273, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhudJcQoKGhXSREcgJampNiXOUw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhudJDX1X0g8CA1-E', NULL, 'hPyVJkVudR0ofYkLycE4FGGp4OBZt4z0ElqcVgEMLo0', 'X7a7Mx3rCIy7fNOYvYwTK9lTj5IB7LZicl_WloAJGl8');
INSERT INTO public.audit_event VALUES ('demo-18080', 35, 1795422611460, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhudJcQoKGhXSREcgJampNiXOUw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhugEaD0D6SQuwr33', NULL, 'X7a7Mx3rCIy7fNOYvYwTK9lTj5IB7LZicl_WloAJGl8', 'x3QDnxsFglnX5TmAExCF9zMR0GuiqBk9jEdID4YGBEM');
INSERT INTO public.audit_event VALUES ('demo-18080', 36, 1795422611467, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhugL53iB7cEuIeqp', NULL, 'x3QDnxsFglnX5TmAExCF9zMR0GuiqBk9jEdID4YGBEM', '-wEsRbpZUNfHjAOLBDkNlaxv1iBmhnclFuLN-o2Njqk');
INSERT INTO public.audit_event VALUES ('demo-18080', 37, 1795422611467, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhugL53iB7cEuIeqp', NULL, '-wEsRbpZUNfHjAOLBDkNlaxv1iBmhnclFuLN-o2Njqk', 'Ao84l5sm1XwKVughpWe0QIHHL6C038YdMmCMg5je7U4');
INSERT INTO public.audit_event VALUES ('demo-18080', 38, 1795422611467, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhugL53iB7cEuIeqp', '{"device_secret_id":"AaIHhugL0b9RRz4F-qh4gw4DdQf0Vg"}', 'Ao84l5sm1XwKVughpWe0QIHHL6C038YdMmCMg5je7U4', 'y_uLB80lJJ9uphUbOPB7fKJ8JyG1lfHuKnSSAX3FfJk');
INSERT INTO public.audit_event VALUES ('demo-18080', 39, 1795422611483, 'app_session.ended', 'success', 'revoked', 'alice', 'demo-app', NULL, 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhugb1l49kgXxy11D', NULL, 'y_uLB80lJJ9uphUbOPB7fKJ8JyG1lfHuKnSSAX3FfJk', '0L9tQnmT0kk1GkfVtsskjLmYJsF6QWgPfi5GqnGb7Gk');
INSERT INTO public.audit_event VALUES ('demo-18080', 40, 1795422611993, 'node.stopped', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0L9tQnmT0kk1GkfVtsskjLmYJsF6QWgPfi5GqnGb7Gk', 'lPP29tmE1gYJ4EpsmHCNNlp-Sx231OmWyDeeB_sKmEM');


--
-- Data for Name: audit_forward; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_tally; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_tally_progress; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: authorization_code; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.authorization_code VALUES ('Lrz7dVxhe-RuA783F4e4Cq0sdjSlBZW9xljTw76P7DQ', 'demo-app', 'https://app.example.com/callback', 'QEo_vGfe6npG24SFAxQVqdBLzWF6MMGPJ2tNeZ5TFqk', NULL, 'openid profile offline_access device_sso', 'alice', 1795422611059, 'aal1', '["pwd"]', 'AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', NULL, NULL, 1795422611219, 1795422671219, 0, 1795422611239, 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA');
INSERT INTO public.authorization_code VALUES ('l950V6JDgDNb4q0p1uwl5tqM1KVGgKzEfyvk46irlKc', 'demo-app', 'https://app.example.com/callback', 'qQ639o3qBy3IVwVdBO9WuRzby_A-Rjxnmsh9ZkzCg9U', NULL, 'openid profile offline_access device_sso', 'alice', 1795422611273, 'aal1', '["pwd"]', 'AaIHhudJcQoKGhXSREcgJampNiXOUw', NULL, NULL, 1795422611460, 1795422671460, 0, 1795422611467, 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A');


--
-- Data for Name: client; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.client VALUES ('demo-app', '{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422610193);
INSERT INTO public.client VALUES ('demo-app-b', '{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422610211);
INSERT INTO public.client VALUES ('demo-web', '{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"79atTRqWvZ6RoKAImBbyxFJxq0bETeAFlf3w1mGusAU","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422610217);
INSERT INTO public.client VALUES ('demo-webview', '{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}', 1795422610218);
INSERT INTO public.client VALUES ('demo-rp', '{"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"s-UDdS9cpbpAux_pd1LcaPkSCbXUKrvP2fy6k31lFcU","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422610231);
INSERT INTO public.client VALUES ('demo-admin', '{"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"eEZl0Ge2KIjXuouHHJsbdf6MYPXPz1dXe1BqNEyrjpI","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422610238);


--
-- Data for Name: consent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.consent VALUES ('alice', 'demo-app', 'device_sso offline_access openid profile', 1795422611219);


--
-- Data for Name: demo_material; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.demo_material VALUES ('audit-signing-key', 'PRIVATE+KEY+localhost/drawbridge+9d8f47c9+AYZT9j61eKY7qq/UxEDJZAI3Bj0nUueiUXXulsPaOs+r');
INSERT INTO public.demo_material VALUES ('login-token-keys.json', '{
  "format" : "drawbridge-login-token-keys-v1",
  "keys" : [
    {
      "created_at" : "2026-11-23T08:30:08.521Z",
      "kid" : "y4LscKm2qgOe",
      "secret" : "eg6D5OH64xm-KjlwIyI5OOo8uaFbcAe0EBwpwGhqJfg",
      "signs_from" : "2026-11-23T08:30:08.521Z"
    }
  ]
}
');
INSERT INTO public.demo_material VALUES ('master-key', 'EVjvn22tzyMf1uNFzX83oyVngLC5Xj8eoXgt4PmbwuI');
INSERT INTO public.demo_material VALUES ('password-seed', 'waikLOktr6me0N7Mv2__rVjbRt0fNqESoHaZlZsUbU0');
INSERT INTO public.demo_material VALUES ('trusted-issuer-secret', 'KbbhQZ7ajFG47bdkY7x8jUdSaVEV6k5QE9SukuN8cuU');


--
-- Data for Name: device_secret; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret VALUES ('AaIHhucnMrxmZ53eT6fAgeHz-difpA', 'alice', 'demo-app', 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', 'ExampleApp/3.1', NULL, 1795422611239, NULL, 0, 1798014611239, NULL, NULL, NULL);
INSERT INTO public.device_secret VALUES ('AaIHhugL0b9RRz4F-qh4gw4DdQf0Vg', 'alice', 'demo-app', 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', 'ExampleApp/3.1', NULL, 1795422611467, NULL, 0, 1798014611467, NULL, NULL, NULL);


--
-- Data for Name: device_secret_digest; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret_digest VALUES ('qwejaJoGpMCdBm85MkNzBnbReEwUQbdBSkD8IDEk2Rs', 'AaIHhucnMrxmZ53eT6fAgeHz-difpA', 1795422611239, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('2m0l1MiJ040-lI2Pefhk62ZYTI2AcO9FxtOyG0cKJJM', 'AaIHhucnMrxmZ53eT6fAgeHz-difpA', 1795422611259, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('EjHc0VAxtXENJ7XM-H-tEjY-gpn9HX4-d87KueQ-M4U', 'AaIHhugL0b9RRz4F-qh4gw4DdQf0Vg', 1795422611467, NULL, NULL);


--
-- Data for Name: first_signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.first_signing_key VALUES ('ES256', '6NSyKc08DtAbX4UkMn9_o0MB4VpFBguwDQUarlizr-4');
INSERT INTO public.first_signing_key VALUES ('RS256', 'lXSk81xtBZapQiGG6EzFapFIe3Ri8pMUSXFG0ENx1Yw');
INSERT INTO public.first_signing_key VALUES ('EdDSA', 'Yy6b7jlSbuHG4qENkz3x0uh88P7vJ8IH32hGmBoWQQA');


--
-- Data for Name: heartbeat; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: login_token_use; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_token_use VALUES ('2Vnlr62_hmqb3K0Nj2XnzQ', 'alice', 'demo-app', 1795422610000, 1795422670000, 'redeemed', 0, 1795422610983, 'AaIHhuYncYd7rZCBV7ZDvXEz0yyiIQ', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
INSERT INTO public.login_token_use VALUES ('-k-VSr7O9Yh4IhBJWtrhyw', 'carol', 'demo-app', 1795422611000, 1795422671000, 'redeemed', 0, 1795422611015, 'AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE');
INSERT INTO public.login_token_use VALUES ('G9cVsXS4dFQngXRDPpzpmg', 'carol', 'demo-app', 1795422611000, 1795422671000, 'revoked', 0, 1795422611051, NULL, NULL, NULL);


--
-- Data for Name: logout_notice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: pushed_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: recovery_code; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refresh_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refresh_token VALUES ('-d3McHpakYk_l8IoLC3YtZJ30KJCpnoYMpmLGtw974o', 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', 'openid profile offline_access device_sso', NULL, 1795422611239, 1798014611239, 1795422611259, 'C_U-ND0Lk9Ol9hOO6w9PRn1kaYqXxz1_7IsI1TXjYGw');
INSERT INTO public.refresh_token VALUES ('C_U-ND0Lk9Ol9hOO6w9PRn1kaYqXxz1_7IsI1TXjYGw', 'AaIHhucn9Y_y9aUZEElwo8J6XiybaA', 'openid profile offline_access device_sso', NULL, 1795422611259, 1798014611259, NULL, NULL);
INSERT INTO public.refresh_token VALUES ('FCHEOvOqJ5EMy1_4SdfmuE1FQzn8qQOIj3twA-xo_DE', 'AaIHhugLDJPvTe2ceti-ZHxeug1b7A', 'openid profile offline_access device_sso', NULL, 1795422611467, 1798014611467, NULL, NULL);


--
-- Data for Name: revoked_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migration VALUES (1, 'users, clients, login tokens, sessions, audit', 1795422608521);
INSERT INTO public.schema_migration VALUES (2, 'codes, app sessions, refresh tokens, signing keys', 1795422608521);
INSERT INTO public.schema_migration VALUES (3, 'accounts, second factors, consent, pushed requests', 1795422608521);
INSERT INTO public.schema_migration VALUES (4, 'device secrets, settings, refresh cookies', 1795422608521);
INSERT INTO public.schema_migration VALUES (5, 'administration, audit by address, session and token', 1795422608521);
INSERT INTO public.schema_migration VALUES (6, 'audit by user, first signing keys, a demo''s secrets', 1795422608521);
INSERT INTO public.schema_migration VALUES (7, 'webhooks of websites', 1795422608521);
INSERT INTO public.schema_migration VALUES (9, 'audit forwarding', 1795422608521);
INSERT INTO public.schema_migration VALUES (10, 'standard claims of accounts', 1795422608521);


--
-- Data for Name: setting; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES ('6NSyKc08DtAbX4UkMn9_o0MB4VpFBguwDQUarlizr-4', 'ES256', 'glmsSV7MGjXVlHD4Zel58SQKK2yI099kKcifLvNX-7ZuhSfey_DpLKS5smxEbONTXMuKGKj2YLwYgsgx', '{"alg":"ES256","crv":"P-256","kid":"6NSyKc08DtAbX4UkMn9_o0MB4VpFBguwDQUarlizr-4","kty":"EC","use":"sig","x":"8Gd05xxQyC6VsmFEwGtFx2pp2K7JQkvHWn11yz-b2h4","y":"AmUKJC1tyuTrhIoF2rB0Mx0_DTdp3Q7anHP4fd0aPWE"}', 1795422610291, 1795422610291, NULL);
INSERT INTO public.signing_key VALUES ('lXSk81xtBZapQiGG6EzFapFIe3Ri8pMUSXFG0ENx1Yw', 'RS256', 'YB-IDvFkR1smDh-YYMHVXF5ACuxq6g9Dt1vmxjrkzFtGJVolc4S8WizDSl1bee9lObvQ1daU98Shgiln3_1hM3UowOhvEoHhsy_aUDVFQ77AzcwMHEl4OuMmNPkIKrPn9eA83fAfwjQdDrj-wVtKojZ8J9tbRPDFwlLGQYF3sPDFlxAeSH4nf1Za07JhohB6KRaTpwrsn8oX1dAqhqitsjddWkVZsMG3LTEzASCSTkW08OkojzcRnHZkON0_bytRO4a_Os9hjFkMykkZS5jLOs9cSMo1cfxLGp_C5jKTQs5VkHdHP2HRk56_M--IrIobkfZxPZh8EUnQpFQNBxVL9KTd4cGSVT6qYm7h2WxUi3B2yvfaMQlIpjH6apElJ9Nh2KenS_0X4wb-t-F_qmGeKL1lzK4M9havwY0eGWlQy3mWJ1-e1CFpzXWhbrMdba9_82wIivTR5wIYQlvYqlegpPi7vVAYE07jY4be9VmpgSVPIczANKAMkR0sWyqxDengBmusyBo2d6Y3S8tDk0Q0YnCtP2QG6gD_ah90ge3c8jo4al-8hOrByt6uAT8Q6WQVyEkDsaMx0zkjqS3-9C0LtqfgYrGycKjVF_EhkJeg0XNnEoDEd9zLU7I53-BYh2N9mOFmMdKd-nEvQYpWdETnkWO7cwTy3ou9Lh7VryzWkzli66GMyGeh3CnZsKiFfTidtMjjtG4f4cHqNgIuS8gFSydRlfQjpW81g4LXBf2VbvtKm2wzrGkJD6tTm_LABbmyQDDtMQG04ak4J30Ja_oMb6fmLBRW1Q87bB882lr8Z5Alg7x8KNEiDq0GVJYX5TyCsIYZIWdElC9m3zR7QEsXjU4EPfxNJdLx7ss1XlsKNRpBRePfqlbnsjg64DRnTRhLJ4qBEqjHdn11bV52aVQV9q4coRHuaW_DEKKBQo3EnL4n50Kz0QuCQ-zkORvm_HU041LYoxFPP7cYe0Nd0m0sRtOzEMowitaTz4_3K9BWwN-7FC8pM6DQ_0YD_9TtTP0Em1Zrgru7A8hCxbwXMU2Vu_BMy7EtooWQwdlm70rJbWJzv4nV3pche0kpsA1TYrYPhFa3NG6temvsvoJLLqbwD__xIDflUQhXyk3-2JTrdJPdFtM3sCKQan1JUalAwheqEM4rzJBXIFDUJf6t2hHlywDTETj451WZipiW_4iZ48G1TnRjTwqmxXlITWjgK97yjfiqetr5omPAdYuG19o0W_mbECdRi7LOag5-IYwe5e-Eh3qdY5utRJhas4fzBFUSR8zHDskWqNCyWTYvk8Z3irIOZT3QL6EdgxWJ0-t8kRT-VY_HXtBVBs8WrxPAPfbjGzdgTTFozSnYVJtlwjb-LtZIe0jGlIU-lQVwJuhMEDbiu_K0IYvEpsI-hTkrTZpz3Dndd4V04ax4LWP_0La07oRsueb0pU4ysf9yA9YX3xyE4UBWxkrczw3Wq8vU7HgFd8AiHs2nKYfdEY8Bs34Pxcqoryfq3SnK_lAVf8kL5K61FWMFuJHmr0aKm5S7GxrgIcOtIC5hoKdgT3BhT6bjgpLbWbWVzxrFzt3PIhAOftwvKzQltKO3qAHVQMcp7g6p9fSxul1qoeXtXpOQRwu0SLQN8g', '{"alg":"RS256","e":"AQAB","kid":"lXSk81xtBZapQiGG6EzFapFIe3Ri8pMUSXFG0ENx1Yw","kty":"RSA","n":"2Yx45EjYKGXXfttFdz0rJWFJz7C2zVXvFTgB1mqSCr5U_aGELcV1IhCmBJG29v4d-yAhkDjzuvWxA-zG3hKki29qKmzJO7hqoahM2iVC9bC-VeNPl8jrkMP1zLwWokHEUkMDWvFzF5f_kgEsl3QwQ5kw0A_YWHEe7WnFo8xbfomTM_2I7lF2Pc2nFYvGzoD-t255aFGgzskNSYxHIvyp9NljDhuAzx0-EN6EEvVxR2xXYEqoUZQ-0TI1KpqKqwAVRgk4mNZatvXEqS14kkUGqb-NusRhHdHXlGDybX_K1QrURyWHLnEG-Di2TJ2lZrnAxHlgNWZjM96nql8MKxarbw","use":"sig"}', 1795422610447, 1795422610447, NULL);
INSERT INTO public.signing_key VALUES ('Yy6b7jlSbuHG4qENkz3x0uh88P7vJ8IH32hGmBoWQQA', 'EdDSA', 'D5YIVrnBE0g3IpyftMekBea7Cwg-0YQT-TdPgJkSswC5nndN9vB9-pv0Uhw9VzDLCzsxjzWXis4UVdiV', '{"alg":"EdDSA","crv":"Ed25519","kid":"Yy6b7jlSbuHG4qENkz3x0uh88P7vJ8IH32hGmBoWQQA","kty":"OKP","use":"sig","x":"Oz9DlliRC6IrHTkpFM9ZYJyAB3EKRWK9lBgCLlJbnuQ"}', 1795422610457, 1795422610457, NULL);


--
-- Data for Name: state_sample; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: upstream_identity; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: web_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.web_session VALUES ('AaIHhuYncYd7rZCBV7ZDvXEz0yyiIQ', 'D34--NahQ9bYC14SQWX7ojOQTKACTqVDOa-np-dQcBM', 'alice', 'demo-web', 'demo-app', NULL, '2Vnlr62_hmqb3K0Nj2XnzQ', 'login_token', NULL, NULL, NULL, 1795422610983, 1795465810983, 1800000, 1795422610983, NULL, 1795422610000);
INSERT INTO public.web_session VALUES ('AaIHhuZHGWRrdM_5PPg7rOdrJeGYQQ', 'IpubkK3VVF1sofmaJsS0Km6w4LdguawB0JlPWd9pOSI', 'carol', 'demo-web', 'demo-app', NULL, '-k-VSr7O9Yh4IhBJWtrhyw', 'login_token', NULL, NULL, NULL, 1795422611015, 1795465811015, 1800000, 1795422611015, 1795422611027, 1795422611000);
INSERT INTO public.web_session VALUES ('AaIHhuZzrUpbqEjsr9Gls7tidk_bmw', 'B-tvzsrKolOgm4uwSqVMsbh7Juc39J9BZE9mY24i_IE', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422611059, 'aal1', '["pwd"]', 1795422611059, 1795465811059, 1800000, 1795422611059, NULL, NULL);
INSERT INTO public.web_session VALUES ('AaIHhudJcQoKGhXSREcgJampNiXOUw', 'NTbe6v9YLz-T7A0k5VC8THdVqrhREvtbZFDTJpnZbC0', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422611273, 'aal1', '["pwd"]', 1795422611273, 1795465811273, 1800000, 1795422611273, NULL, NULL);


--
-- Data for Name: web_session_refresh; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_notice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_subscriber; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: account account_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (subject);


--
-- Name: account account_username_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_username_key_key UNIQUE (username_key);


--
-- Name: admin_session admin_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.admin_session
    ADD CONSTRAINT admin_session_pkey PRIMARY KEY (secret_digest);


--
-- Name: app_session app_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_session
    ADD CONSTRAINT app_session_pkey PRIMARY KEY (id);


--
-- Name: app_user app_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_user
    ADD CONSTRAINT app_user_pkey PRIMARY KEY (subject);


--
-- Name: audit_checkpoint audit_checkpoint_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_checkpoint
    ADD CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (node, size);


--
-- Name: audit_event audit_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (node, sequence);


--
-- Name: audit_forward audit_forward_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_forward
    ADD CONSTRAINT audit_forward_pkey PRIMARY KEY (target, node);


--
-- Name: audit_tally audit_tally_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_tally
    ADD CONSTRAINT audit_tally_pkey PRIMARY KEY (at, node, type, outcome, reason);


--
-- Name: audit_tally_progress audit_tally_progress_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_tally_progress
    ADD CONSTRAINT audit_tally_progress_pkey PRIMARY KEY (node);


--
-- Name: authorization_code authorization_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.authorization_code
    ADD CONSTRAINT authorization_code_pkey PRIMARY KEY (digest);


--
-- Name: client client_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client
    ADD CONSTRAINT client_pkey PRIMARY KEY (client_id);


--
-- Name: consent consent_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_pkey PRIMARY KEY (subject, client_id);


--
-- Name: demo_material demo_material_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.demo_material
    ADD CONSTRAINT demo_material_pkey PRIMARY KEY (name);


--
-- Name: device_secret_digest device_secret_digest_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_secret_digest
    ADD CONSTRAINT device_secret_digest_pkey PRIMARY KEY (digest);


--
-- Name: device_secret device_secret_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_secret
    ADD CONSTRAINT device_secret_pkey PRIMARY KEY (id);


--
-- Name: first_signing_key first_signing_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.first_signing_key
    ADD CONSTRAINT first_signing_key_pkey PRIMARY KEY (algorithm);


--
-- Name: heartbeat heartbeat_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (node);


--
-- Name: idempotency_key idempotency_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (key_digest);


--
-- Name: login_token_use login_token_use_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_token_use
    ADD CONSTRAINT login_token_use_pkey PRIMARY KEY (token_id);


--
-- Name: logout_notice logout_notice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.logout_notice
    ADD CONSTRAINT logout_notice_pkey PRIMARY KEY (id);


--
-- Name: pushed_request pushed_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pushed_request
    ADD CONSTRAINT pushed_request_pkey PRIMARY KEY (digest);


--
-- Name: recovery_code recovery_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (subject, digest);


--
-- Name: refresh_token refresh_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refresh_token
    ADD CONSTRAINT refresh_token_pkey PRIMARY KEY (digest);


--
-- Name: revoked_token revoked_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revoked_token
    ADD CONSTRAINT revoked_token_pkey PRIMARY KEY (token_id);


--
-- Name: schema_migration schema_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: signing_key signing_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (id);


--
-- Name: state_sample state_sample_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.state_sample
    ADD CONSTRAINT state_sample_pkey PRIMARY KEY (name, at);


--
-- Name: upstream_identity upstream_identity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.upstream_identity
    ADD CONSTRAINT upstream_identity_pkey PRIMARY KEY (issuer, external_subject);


--
-- Name: web_session web_session_login_token_issued_at_login_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_login_token_issued_at_login_token_id_key UNIQUE (login_token_issued_at, login_token_id);


--
-- Name: web_session web_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_pkey PRIMARY KEY (id);


--
-- Name: web_session_refresh web_session_refresh_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_session_refresh
    ADD CONSTRAINT web_session_refresh_pkey PRIMARY KEY (digest);


--
-- Name: web_session web_session_secret_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_secret_digest_key UNIQUE (secret_digest);


--
-- Name: webhook_notice webhook_notice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_notice
    ADD CONSTRAINT webhook_notice_pkey PRIMARY KEY (id);


--
-- Name: webhook_subscriber webhook_subscriber_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_subscriber
    ADD CONSTRAINT webhook_subscriber_pkey PRIMARY KEY (client_id);


--
-- Name: app_session_browser; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_browser ON public.app_session USING btree (browser_session_id) WHERE (browser_session_id IS NOT NULL);


--
-- Name: app_session_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_device ON public.app_session USING btree (device_secret_id) WHERE (device_secret_id IS NOT NULL);


--
-- Name: app_session_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_expiry ON public.app_session USING btree (expires_at);


--
-- Name: app_session_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_parent ON public.app_session USING btree (parent_id) WHERE (parent_id IS NOT NULL);


--
-- Name: app_session_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_subject ON public.app_session USING btree (subject);


--
-- Name: audit_event_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_address ON public.audit_event USING btree (address, at) WHERE (address IS NOT NULL);


--
-- Name: audit_event_rare_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_rare_type ON public.audit_event USING btree (type, at) WHERE (type <> ALL (ARRAY['login_token.issued'::text, 'login_token.redeemed'::text, 'web_session.opened'::text, 'web_session.ended'::text, 'authorization_code.issued'::text, 'authorization_code.redeemed'::text, 'refresh_token.rotated'::text, 'device_secret.issued'::text, 'device_secret.exchanged'::text, 'user.signed_in'::text, 'access_token.issued'::text, 'refresh_token.used'::text, 'app_session.opened'::text, 'app_session.ended'::text, 'logout_notice.sent'::text]));


--
-- Name: audit_event_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_session ON public.audit_event USING btree (session_id, at) WHERE (session_id IS NOT NULL);


--
-- Name: audit_event_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_subject ON public.audit_event USING btree (subject, at) WHERE (subject IS NOT NULL);


--
-- Name: audit_event_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_time ON public.audit_event USING btree (at, node, sequence);


--
-- Name: audit_event_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_token ON public.audit_event USING btree (token_id, at) WHERE (token_id IS NOT NULL);


--
-- Name: authorization_code_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX authorization_code_expiry ON public.authorization_code USING btree (expires_at);


--
-- Name: device_secret_digest_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_secret_digest_device ON public.device_secret_digest USING btree (device_secret_id);


--
-- Name: device_secret_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_secret_expiry ON public.device_secret USING btree (expires_at);


--
-- Name: device_secret_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_secret_subject ON public.device_secret USING btree (subject);


--
-- Name: idempotency_key_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_key_expiry ON public.idempotency_key USING btree (expires_at);


--
-- Name: login_token_use_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_token_use_expiry ON public.login_token_use USING btree (expires_at);


--
-- Name: logout_notice_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX logout_notice_due ON public.logout_notice USING btree (next_attempt_at);


--
-- Name: pushed_request_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pushed_request_expiry ON public.pushed_request USING btree (expires_at);


--
-- Name: refresh_token_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refresh_token_expiry ON public.refresh_token USING btree (expires_at);


--
-- Name: revoked_token_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revoked_token_expiry ON public.revoked_token USING btree (expires_at);


--
-- Name: web_session_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_end ON public.web_session USING btree (ended_at) WHERE (ended_at IS NOT NULL);


--
-- Name: web_session_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_expiry ON public.web_session USING btree (expires_at);


--
-- Name: web_session_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_parent ON public.web_session USING btree (parent_id) WHERE (parent_id IS NOT NULL);


--
-- Name: web_session_refresh_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_refresh_expiry ON public.web_session_refresh USING btree (expires_at);


--
-- Name: web_session_refresh_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_refresh_session ON public.web_session_refresh USING btree (session_id);


--
-- Name: web_session_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_subject ON public.web_session USING btree (subject);


--
-- Name: webhook_notice_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_notice_due ON public.webhook_notice USING btree (next_attempt_at);


--
-- PostgreSQL database dump complete
--


