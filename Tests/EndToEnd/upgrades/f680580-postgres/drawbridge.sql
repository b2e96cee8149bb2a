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
    last_seen_at bigint NOT NULL,
    token_id text COLLATE pg_catalog."C",
    client_id text COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    signed_in_at bigint
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
    ended_at bigint,
    ancestry text COLLATE pg_catalog."C",
    granted_in text COLLATE pg_catalog."C"
);


--
-- Name: app_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_user (
    subject text NOT NULL COLLATE pg_catalog."C",
    issuer text NOT NULL COLLATE pg_catalog."C",
    first_seen_at bigint NOT NULL,
    disabled_at bigint,
    login_tokens_void_until bigint
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
-- Name: audit_cut; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_cut (
    node text NOT NULL COLLATE pg_catalog."C",
    through bigint NOT NULL,
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
    updated_at bigint NOT NULL,
    checkpoint_size bigint DEFAULT 0 NOT NULL,
    cut_through bigint DEFAULT 0 NOT NULL
);


--
-- Name: audit_index; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_index (
    node text NOT NULL COLLATE pg_catalog."C",
    first_sequence bigint NOT NULL,
    field bigint NOT NULL,
    bucket bigint NOT NULL,
    entries text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: audit_segment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_segment (
    node text NOT NULL COLLATE pg_catalog."C",
    first_sequence bigint NOT NULL,
    through bigint NOT NULL,
    oldest_at bigint NOT NULL,
    newest_at bigint NOT NULL
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
    session_id text COLLATE pg_catalog."C",
    granted_in text COLLATE pg_catalog."C"
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
-- Name: client_assertion_use; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.client_assertion_use (
    digest text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
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
-- Name: cross_device; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cross_device (
    record_key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    content text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);


--
-- Name: demo_material; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.demo_material (
    name text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: device_authorization; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_authorization (
    digest text NOT NULL COLLATE pg_catalog."C",
    user_code text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    network text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    decision text NOT NULL COLLATE pg_catalog."C",
    poll_interval bigint NOT NULL,
    next_poll_at bigint NOT NULL,
    polled_too_soon bigint NOT NULL
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
-- Name: linked_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.linked_key (
    thumbprint text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL COLLATE pg_catalog."C",
    origin text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint,
    told_name text COLLATE pg_catalog."C",
    told_email text COLLATE pg_catalog."C"
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
    scope text COLLATE pg_catalog."C",
    issued_after_end bigint,
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
-- Name: node_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.node_lease (
    node text NOT NULL COLLATE pg_catalog."C",
    epoch bigint NOT NULL,
    holder text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
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
-- Name: restore_point; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.restore_point (
    id bigint NOT NULL,
    number bigint NOT NULL,
    identity text NOT NULL COLLATE pg_catalog."C",
    restored_at bigint,
    tokens_void_until bigint NOT NULL,
    CONSTRAINT restore_point_id_check CHECK ((id = 1))
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
-- Name: self_issued_transaction; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.self_issued_transaction (
    digest text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
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
    retires_at bigint,
    signs_when_known bigint DEFAULT 0 NOT NULL,
    withdrawn_at bigint,
    added_in bigint DEFAULT 0 NOT NULL
);


--
-- Name: signing_key_change; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key_change (
    id bigint NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT signing_key_change_id_check CHECK ((id = 1))
);


--
-- Name: signing_key_holder; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key_holder (
    node text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    seen_at bigint NOT NULL
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
-- Name: transaction_number; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.transaction_number (
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
    login_token_issued_at bigint,
    ancestry text COLLATE pg_catalog."C",
    scope text COLLATE pg_catalog."C",
    ended_in bigint,
    wants_logout_notice bigint DEFAULT 0 NOT NULL
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

INSERT INTO public.account VALUES ('alice', 'alice', 'alice', 'Alice', 'alice@example.com', '$scrypt$ln=14,r=8,p=1$Bg_Qpm-bHY7PWPHeFtlHkA$NehrfgKOvmaToIM_dT5b4RvwgIzbTHWFj89DBmtHI1g', NULL, NULL, NULL, 1795422635162, 1795422635162, '{"email_verified":true}', NULL);
INSERT INTO public.account VALUES ('bob', 'bob', 'bob', 'Bob', 'bob@example.com', '$scrypt$ln=14,r=8,p=1$2XNE6JhsAZZYaP1GhuF43w$DdXXwGcrjlmTxhXKERjLR6MVw_NZiZhc-e0fMvy5E4k', NULL, NULL, NULL, 1795422635162, 1795422635162, '{"email_verified":true}', NULL);
INSERT INTO public.account VALUES ('admin', 'admin', 'admin', 'Admin', 'admin@example.com', '$scrypt$ln=14,r=8,p=1$QwpaG6nSfnfbiSEFv5c3vw$6S6prdhWPyPoQSTPbrncjB0lInI2e8L3HrwkaNwFKhc', 'admin', NULL, NULL, 1795422635162, 1795422635162, '{"email_verified":true}', NULL);


--
-- Data for Name: admin_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: app_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_session VALUES ('AaIHh06o_RNH8c33XJmB-EcMzpIbZg', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422637410, 'aal1', '["pwd"]', 'AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', 'AaIHh06oh7hUy0aGkVvvuy_9OeSqFA', NULL, NULL, 0, 1795422637736, 1803198637736, NULL, 'authorize', NULL);
INSERT INTO public.app_session VALUES ('AaIHh1CXE-HfS5321Xy08xnOGlUabQ', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422637931, 'aal1', '["pwd"]', 'AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', 'AaIHh1CXmBlPD4pAjwiM9Lb2rdsewg', NULL, NULL, 0, 1795422638231, 1803198638231, 1795422638247, 'authorize', NULL);


--
-- Data for Name: app_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_user VALUES ('bob', 'drawbridge', 1795422635162, NULL, NULL);
INSERT INTO public.app_user VALUES ('admin', 'drawbridge', 1795422635162, NULL, NULL);
INSERT INTO public.app_user VALUES ('carol', 'https://backend.example', 1795422637274, NULL, NULL);
INSERT INTO public.app_user VALUES ('alice', 'drawbridge', 1795422635162, NULL, NULL);


--
-- Data for Name: audit_checkpoint; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_checkpoint VALUES ('demo-18080', 41, 1795422638806, 'u5bvHc_Kj1XkseHSEsPsy1tU0ZkBzQ5evLNddXsnqnw', 'localhost/drawbridge/demo-18080
41
u5bvHc/Kj1XkseHSEsPsy1tU0ZkBzQ5evLNddXsnqnw=
time 2026-11-23T08:30:38.806Z

— localhost/drawbridge iiaMMxsEJ66nc0cAs3xUPJUXYMg/V90m0PT8uAJGkFIoNLqOJu1F0xh7GeJi3pNIEtSmo/aPcMQUOEEbnyDnON6xUQw=
');


--
-- Data for Name: audit_cut; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_event VALUES ('demo-18080', 1, 1795422635162, 'user.created', 'success', NULL, 'alice', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'd3aa163ODPoRfYY3MJ8eqw-EemzwqcxphCQLuihUCAM');
INSERT INTO public.audit_event VALUES ('demo-18080', 2, 1795422635162, 'user.created', 'success', NULL, 'bob', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd3aa163ODPoRfYY3MJ8eqw-EemzwqcxphCQLuihUCAM', 'Wn-Wel8uES20r392zy7zmHTSlTO6ruhpDoQ1iLCkYnY');
INSERT INTO public.audit_event VALUES ('demo-18080', 3, 1795422635162, 'user.created', 'success', NULL, 'admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'Wn-Wel8uES20r392zy7zmHTSlTO6ruhpDoQ1iLCkYnY', 'dTWnIpcr6X5RLvFtBGBv7YhEN7NiNoi2WSunukB9M94');
INSERT INTO public.audit_event VALUES ('demo-18080', 4, 1795422635817, 'client.created', 'success', 'demo', NULL, 'demo-app', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'dTWnIpcr6X5RLvFtBGBv7YhEN7NiNoi2WSunukB9M94', 'o6S6srE-x8dkGf_85kFndGxBv5E0wwsKPzgjY_2B7Lw');
INSERT INTO public.audit_event VALUES ('demo-18080', 5, 1795422635825, 'client.created', 'success', 'demo', NULL, 'demo-app-b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'o6S6srE-x8dkGf_85kFndGxBv5E0wwsKPzgjY_2B7Lw', 'XRZO0AIFiUtcGlt_baacI6opUC7xv1IHRVU03QUsHbk');
INSERT INTO public.audit_event VALUES ('demo-18080', 6, 1795422635838, 'client.created', 'success', 'demo', NULL, 'demo-web', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'XRZO0AIFiUtcGlt_baacI6opUC7xv1IHRVU03QUsHbk', 'e4DTIvuHhMX5d3T9YI22aAWcuULfo8Fa9arZk2oDoUA');
INSERT INTO public.audit_event VALUES ('demo-18080', 7, 1795422635862, 'client.created', 'success', 'demo', NULL, 'demo-webview', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'e4DTIvuHhMX5d3T9YI22aAWcuULfo8Fa9arZk2oDoUA', '6lpR6KwRMXeKyqcaUXhTXg5lXbqAA412o7FZzxS0-S0');
INSERT INTO public.audit_event VALUES ('demo-18080', 8, 1795422635882, 'client.created', 'success', 'demo', NULL, 'demo-rp', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '6lpR6KwRMXeKyqcaUXhTXg5lXbqAA412o7FZzxS0-S0', 'xjdzmoA7XEbmdntLKKRyjMj-Hxmj9hgZxPh9bIBgoS4');
INSERT INTO public.audit_event VALUES ('demo-18080', 9, 1795422635891, 'client.created', 'success', 'demo', NULL, 'demo-admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'xjdzmoA7XEbmdntLKKRyjMj-Hxmj9hgZxPh9bIBgoS4', 'K_uA7Ha_9KEjsXTgvLRjJZf1V9aDcu9no-pBAuG_Jto');
INSERT INTO public.audit_event VALUES ('demo-18080', 10, 1795422635967, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"HS256","kid":"6dvbVgyxNJ9u","signs_from":"2026-11-23T08:30:35.967Z"}', 'K_uA7Ha_9KEjsXTgvLRjJZf1V9aDcu9no-pBAuG_Jto', 'WYjA2VkvvOXawMgw18pCfXKMI_a4wEa6P7GF6BU9EMk');
INSERT INTO public.audit_event VALUES ('demo-18080', 11, 1795422635967, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"ES256","kid":"qDTPFOqn_wAkVKmacTNI2tpK-oPpS7qOItOyyIXC07c","signs_from":"2026-11-23T08:30:35.967Z"}', 'WYjA2VkvvOXawMgw18pCfXKMI_a4wEa6P7GF6BU9EMk', '1WnoXX9--5XwM9AwxmWtcEGu6P25Eq6nwRz_cVlhtpg');
INSERT INTO public.audit_event VALUES ('demo-18080', 12, 1795422635967, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"RS256","kid":"rgmVwMZJzvTxirEiykXdHDD5Kr3jZG7M-PFGoLBC2Vc","signs_from":"2026-11-23T08:30:35.967Z"}', '1WnoXX9--5XwM9AwxmWtcEGu6P25Eq6nwRz_cVlhtpg', '7Rzzq2T9H5h0G4j89_K35fznMjREdRfLWb_yF8cnVrg');
INSERT INTO public.audit_event VALUES ('demo-18080', 13, 1795422635967, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"EdDSA","kid":"ofhONTIahp8hXXVES8lPu97ieTGiSm9r8vTIiZeHu-Y","signs_from":"2026-11-23T08:30:35.967Z"}', '7Rzzq2T9H5h0G4j89_K35fznMjREdRfLWb_yF8cnVrg', 'F_dGOwCp5p1potsMIbeHod93AlAuOEQaefuoj3PiqhI');
INSERT INTO public.audit_event VALUES ('demo-18080', 14, 1795422637171, 'node.started', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'F_dGOwCp5p1potsMIbeHod93AlAuOEQaefuoj3PiqhI', 'zn_YR3UsEYLCM2NqgbzwysPxnATLc8rxM_dhHHmXPNU');
INSERT INTO public.audit_event VALUES ('demo-18080', 15, 1795422637200, 'login_token.issued', 'success', NULL, 'alice', 'demo-app', 'demo-web', NULL, 'AaIHh0yQ8q2rUiMAmRd2sg', '127.0.0.1', NULL, 'AaIHh0yPKLvhLjOWtisn', NULL, 'zn_YR3UsEYLCM2NqgbzwysPxnATLc8rxM_dhHHmXPNU', 'OLyKA3Eg9ZU5eRoN-Txb4Fq9h0orh-KNY_ZKZUXOMwQ');
INSERT INTO public.audit_event VALUES ('demo-18080', 16, 1795422637228, 'login_token.redeemed', 'success', NULL, 'alice', 'demo-app', 'demo-web', 'AaIHh0ysTtj99mjxJj8JP5HSv6RLdA', 'AaIHh0yQ8q2rUiMAmRd2sg', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh0ys9NZJ5jP5gj45', NULL, 'OLyKA3Eg9ZU5eRoN-Txb4Fq9h0orh-KNY_ZKZUXOMwQ', 'd4sUqQ2IKw5lk4IsUZCxEaQUyTgtoM_7y_DsuYH-GoA');
INSERT INTO public.audit_event VALUES ('demo-18080', 17, 1795422637228, 'web_session.opened', 'success', 'login_token', 'alice', 'demo-app', 'demo-web', 'AaIHh0ysTtj99mjxJj8JP5HSv6RLdA', 'AaIHh0yQ8q2rUiMAmRd2sg', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh0ys9NZJ5jP5gj45', NULL, 'd4sUqQ2IKw5lk4IsUZCxEaQUyTgtoM_7y_DsuYH-GoA', 'SjhRxqnLktA_Hfyym03ijfLbQsozY8HtMQ1MT5X17pw');
INSERT INTO public.audit_event VALUES ('demo-18080', 18, 1795422637274, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, 'AaIHh0zaFPreo4mH1wNF7g', '127.0.0.1', NULL, 'AaIHh0zLWM2barClSe12', NULL, 'SjhRxqnLktA_Hfyym03ijfLbQsozY8HtMQ1MT5X17pw', 'Ik0uzVrsdU9oTae5v8rkpBGy_-qzoZfSxKO3Xl8BZHs');
INSERT INTO public.audit_event VALUES ('demo-18080', 19, 1795422637284, 'login_token.redeemed', 'success', NULL, 'carol', 'demo-app', 'demo-web', 'AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', 'AaIHh0zaFPreo4mH1wNF7g', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh0zkdyn3fKfIDriL', NULL, 'Ik0uzVrsdU9oTae5v8rkpBGy_-qzoZfSxKO3Xl8BZHs', 'r1lgZAHXuboehtZn398DgeHNzJ1k7IBerRIF2kvmc1c');
INSERT INTO public.audit_event VALUES ('demo-18080', 20, 1795422637284, 'web_session.opened', 'success', 'login_token', 'carol', 'demo-app', 'demo-web', 'AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', 'AaIHh0zaFPreo4mH1wNF7g', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh0zkdyn3fKfIDriL', NULL, 'r1lgZAHXuboehtZn398DgeHNzJ1k7IBerRIF2kvmc1c', 'p4iIu2oPKJtj9Lq2RpRL8tumQ2ujqKOPiRqV3In8rYg');
INSERT INTO public.audit_event VALUES ('demo-18080', 21, 1795422637310, 'login_token.replayed', 'failure', 'replayed', 'carol', 'demo-app', 'demo-web', 'AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', 'AaIHh0zaFPreo4mH1wNF7g', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHh0z-lut0Rm-sP1Yf', NULL, 'p4iIu2oPKJtj9Lq2RpRL8tumQ2ujqKOPiRqV3In8rYg', 'GnlbDJYJI6OafT3maaVOw_54hCDJQxPjOWxNbVQoh2I');
INSERT INTO public.audit_event VALUES ('demo-18080', 22, 1795422637310, 'web_session.ended', 'success', 'token_replayed', 'carol', 'demo-app', 'demo-web', 'AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', 'AaIHh0zaFPreo4mH1wNF7g', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHh0z-lut0Rm-sP1Yf', NULL, 'GnlbDJYJI6OafT3maaVOw_54hCDJQxPjOWxNbVQoh2I', '62WXZI4xwCYA2EPVKDJabcfM74oJ1QrKkAQKvd6Euto');
INSERT INTO public.audit_event VALUES ('demo-18080', 23, 1795422637363, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, 'AaIHh00zT0r-iQpyRhCctw', '127.0.0.1', NULL, 'AaIHh00ytc5YbXF-WuJn', NULL, '62WXZI4xwCYA2EPVKDJabcfM74oJ1QrKkAQKvd6Euto', '0xE0P8EPNR2W3tNVRPaPUoPuwNaI1VdNdOm5POPBMIk');
INSERT INTO public.audit_event VALUES ('demo-18080', 24, 1795422637383, 'login_token.revoked', 'success', 'by_app', 'carol', 'demo-app', NULL, NULL, 'AaIHh00zT0r-iQpyRhCctw', '127.0.0.1', NULL, 'AaIHh01Dk41p0EqKINE1', NULL, '0xE0P8EPNR2W3tNVRPaPUoPuwNaI1VdNdOm5POPBMIk', '6vpgbzJDsNx3nwo6yBGINy4wg_d34_A-q-mQDndPwdY');
INSERT INTO public.audit_event VALUES ('demo-18080', 25, 1795422637410, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh01is5yT9ScMJRm-', NULL, '6vpgbzJDsNx3nwo6yBGINy4wg_d34_A-q-mQDndPwdY', 'pcKlTGmNDbbmpOzgfso0G0UjSq01llydHQg3NK1u59k');
INSERT INTO public.audit_event VALUES ('demo-18080', 26, 1795422637410, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh01is5yT9ScMJRm-', NULL, 'pcKlTGmNDbbmpOzgfso0G0UjSq01llydHQg3NK1u59k', 'udUbZ3wsaunWXfQYTvtJIIs9tSdcK3vQRDwrSW8Ljpg');
INSERT INTO public.audit_event VALUES ('demo-18080', 27, 1795422637657, 'consent.granted', 'success', NULL, 'alice', 'demo-app', NULL, NULL, NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh05Y5HF9aPFkerue', NULL, 'udUbZ3wsaunWXfQYTvtJIIs9tSdcK3vQRDwrSW8Ljpg', '1AByIj7blyaPujTIS2KIHIk3YdIwhMMQzfRH-hTGiMg');
INSERT INTO public.audit_event VALUES ('demo-18080', 28, 1795422637657, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh05Y5HF9aPFkerue', NULL, '1AByIj7blyaPujTIS2KIHIk3YdIwhMMQzfRH-hTGiMg', 'YcKrBnoB4DkCKr4RgXkG5NExMc_MlLoebUCbkozc4P8');
INSERT INTO public.audit_event VALUES ('demo-18080', 29, 1795422637736, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh06oZE8awBjN-GkU', NULL, 'YcKrBnoB4DkCKr4RgXkG5NExMc_MlLoebUCbkozc4P8', 'c7EKZSqbCAxjZ76DmaGCLSUASmOgq3mha1lyN5c2X-Y');
INSERT INTO public.audit_event VALUES ('demo-18080', 30, 1795422637736, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh06oZE8awBjN-GkU', NULL, 'c7EKZSqbCAxjZ76DmaGCLSUASmOgq3mha1lyN5c2X-Y', '6Tj1VDK0C0qpAp8cRDEJv5-QW6fnOEwEE1Bhmdn52uI');
INSERT INTO public.audit_event VALUES ('demo-18080', 31, 1795422637736, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh06oZE8awBjN-GkU', '{"device_secret_id":"AaIHh06oh7hUy0aGkVvvuy_9OeSqFA"}', '6Tj1VDK0C0qpAp8cRDEJv5-QW6fnOEwEE1Bhmdn52uI', 'E85i9BF_xTKdvmz7BXdO3O4jLkTr2AuIQUIJBNxwqrQ');
INSERT INTO public.audit_event VALUES ('demo-18080', 32, 1795422637858, 'refresh_token.rotated', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh08iqAlBTbwGS31T', NULL, 'E85i9BF_xTKdvmz7BXdO3O4jLkTr2AuIQUIJBNxwqrQ', 'xDgOD2_4PRFRdgI72Wm5KmYWZ39_oT4AXRNt9CfCyEA');
INSERT INTO public.audit_event VALUES ('demo-18080', 33, 1795422637858, 'device_secret.issued', 'success', 'refresh', 'alice', 'demo-app', NULL, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh08iqAlBTbwGS31T', '{"device_secret_id":"AaIHh06oh7hUy0aGkVvvuy_9OeSqFA"}', 'xDgOD2_4PRFRdgI72Wm5KmYWZ39_oT4AXRNt9CfCyEA', 'rCEQX48TGgoMpbUslk_SY9AovRS2W9Vxtj4JLw_09_8');
INSERT INTO public.audit_event VALUES ('demo-18080', 34, 1795422637931, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh09r4YhYO6IID8iC', NULL, 'rCEQX48TGgoMpbUslk_SY9AovRS2W9Vxtj4JLw_09_8', 'r5cJDpwfCKauH8VcFLtShpqZ9vP2VEVL4hhZQyzbCiA');
INSERT INTO public.audit_event VALUES ('demo-18080', 35, 1795422637931, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh09r4YhYO6IID8iC', NULL, 'r5cJDpwfCKauH8VcFLtShpqZ9vP2VEVL4hhZQyzbCiA', 'f0CuWlWe0RWaPDn7BzeAvap25dXFkFvfLYYG9ui02lU');
INSERT INTO public.audit_event VALUES ('demo-18080', 36, 1795422638205, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHh1B88Fsd6bxYkfjV', NULL, 'f0CuWlWe0RWaPDn7BzeAvap25dXFkFvfLYYG9ui02lU', 'Qk-xSZSp4t3CKbSyN4GtnJM46BxY7iPp04APn738E0I');
INSERT INTO public.audit_event VALUES ('demo-18080', 37, 1795422638231, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh1CX1Q_aZwJqwVvr', NULL, 'Qk-xSZSp4t3CKbSyN4GtnJM46BxY7iPp04APn738E0I', 'Vqx22t7dvf8tR6N5yghW2HpFx3NpQSv9mSHnxeLx3AA');
INSERT INTO public.audit_event VALUES ('demo-18080', 38, 1795422638231, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh1CX1Q_aZwJqwVvr', NULL, 'Vqx22t7dvf8tR6N5yghW2HpFx3NpQSv9mSHnxeLx3AA', 'XFdDXREwmxaMFUStT19NGqH47fodeziCOsh45QtoKS8');
INSERT INTO public.audit_event VALUES ('demo-18080', 39, 1795422638231, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh1CX1Q_aZwJqwVvr', '{"device_secret_id":"AaIHh1CXmBlPD4pAjwiM9Lb2rdsewg"}', 'XFdDXREwmxaMFUStT19NGqH47fodeziCOsh45QtoKS8', 'djld1RJVvIb72cZxyavPPBbGgXWeB0oMw7r8n7bsSFM');
INSERT INTO public.audit_event VALUES ('demo-18080', 40, 1795422638247, 'app_session.ended', 'success', 'revoked', 'alice', 'demo-app', NULL, 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHh1CnYP5qCKEn70kg', NULL, 'djld1RJVvIb72cZxyavPPBbGgXWeB0oMw7r8n7bsSFM', '6Ws523-Ljlus3-W1zi7bXj6pwBfCiGHz63XUeHRY3Qk');
INSERT INTO public.audit_event VALUES ('demo-18080', 41, 1795422638790, 'node.stopped', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '6Ws523-Ljlus3-W1zi7bXj6pwBfCiGHz63XUeHRY3Qk', 'u5bvHc_Kj1XkseHSEsPsy1tU0ZkBzQ5evLNddXsnqnw');


--
-- Data for Name: audit_forward; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_index; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_segment; Type: TABLE DATA; Schema: public; Owner: -
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

INSERT INTO public.authorization_code VALUES ('jwZFUlyM0CxnbWTlI-NUuPSWK6K3S21vp9wHzCaEUys', 'demo-app', 'https://app.example.com/callback', 'nlHQnScldxG0xxT4xkPgcby88ZrHf7T0tAq4WL_KFWQ', NULL, 'openid profile offline_access device_sso', 'alice', 1795422637410, 'aal1', '["pwd"]', 'AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', NULL, NULL, 1795422637657, 1795422697657, 0, 1795422637736, 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', NULL);
INSERT INTO public.authorization_code VALUES ('GYCbTOS_-4TRGbWFWPF6eOU86X6DTgYyMgl2uHbzWJw', 'demo-app', 'https://app.example.com/callback', 'qC5ZLc9560JrovMSlhWJtIHo_QBxIarLij6W_hCwYAQ', NULL, 'openid profile offline_access device_sso', 'alice', 1795422637931, 'aal1', '["pwd"]', 'AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', NULL, NULL, 1795422638205, 1795422698205, 0, 1795422638231, 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', NULL);


--
-- Data for Name: client; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.client VALUES ('demo-app', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422635817);
INSERT INTO public.client VALUES ('demo-app-b', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422635825);
INSERT INTO public.client VALUES ('demo-web', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"JKGNdCwzwsxzsUezcgoIDA8lSAi-npJ3MCdJUwtwoNs","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422635838);
INSERT INTO public.client VALUES ('demo-webview', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}', 1795422635862);
INSERT INTO public.client VALUES ('demo-rp', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"pN4h59DoiXWdB6q5Ju3fYPxWvyK4DphzcJihN7w4qUY","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","landing":"return_path","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","portal":false,"post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422635882);
INSERT INTO public.client VALUES ('demo-admin', '{"accepts_endpoint_audience":false,"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"Jo9gUTCsMZWynKE13sRQly0WGVp_PG4LhakArOIxhUg","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422635891);


--
-- Data for Name: client_assertion_use; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: consent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.consent VALUES ('alice', 'demo-app', 'device_sso offline_access openid profile', 1795422637657);


--
-- Data for Name: cross_device; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: demo_material; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.demo_material VALUES ('audit-signing-key', 'PRIVATE+KEY+localhost/drawbridge+8a268c33+AWTSjgzXXtiGfjzZKAXXJ2d53hONCEmnQIqXRbIoNFmO');
INSERT INTO public.demo_material VALUES ('master-key', 'L8m-V5Pfp4H8q8gueBcFiysA9yECL5OgxcLm3xI10GQ');
INSERT INTO public.demo_material VALUES ('password-seed', '1Hqi5IE_pTGPArS-gqjwNkAxyPbX_GMYEg5DCdMSCSI');
INSERT INTO public.demo_material VALUES ('trusted-issuer-secret', 'AqQNPW2YjaVEstmlQ4cfkoCWGytqDEXq5_y_WVxqsLA');


--
-- Data for Name: device_authorization; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: device_secret; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret VALUES ('AaIHh06oh7hUy0aGkVvvuy_9OeSqFA', 'alice', 'demo-app', 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', 'ExampleApp/3.1', NULL, 1795422637736, NULL, 0, 1798014637736, NULL, NULL, NULL);
INSERT INTO public.device_secret VALUES ('AaIHh1CXmBlPD4pAjwiM9Lb2rdsewg', 'alice', 'demo-app', 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', 'ExampleApp/3.1', NULL, 1795422638231, NULL, 0, 1798014638231, NULL, NULL, NULL);


--
-- Data for Name: device_secret_digest; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret_digest VALUES ('exAhHYFlwsSZ0pjanIr2qr6FWVJnKz6qbppXdR2PkUs', 'AaIHh06oh7hUy0aGkVvvuy_9OeSqFA', 1795422637736, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('FDUl2nnL0Mdmyz5FWThIu3UfWZIaxYSxakbK5eqB0_w', 'AaIHh06oh7hUy0aGkVvvuy_9OeSqFA', 1795422637858, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('1Yq14OYLFGdtEcBFXpvi6WmAo7Zb5iYvpoIIWuDvVEI', 'AaIHh1CXmBlPD4pAjwiM9Lb2rdsewg', 1795422638231, NULL, NULL);


--
-- Data for Name: heartbeat; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: linked_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: login_token_use; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_token_use VALUES ('AaIHh0yQ8q2rUiMAmRd2sg', 'alice', 'demo-app', 1795422637000, 1795422697000, 'redeemed', 0, 1795422637228, 'AaIHh0ysTtj99mjxJj8JP5HSv6RLdA', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE', NULL, NULL);
INSERT INTO public.login_token_use VALUES ('AaIHh0zaFPreo4mH1wNF7g', 'carol', 'demo-app', 1795422637000, 1795422697000, 'redeemed', 0, 1795422637284, 'AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE', NULL, NULL);
INSERT INTO public.login_token_use VALUES ('AaIHh00zT0r-iQpyRhCctw', 'carol', 'demo-app', 1795422637000, 1795422697000, 'revoked', 0, 1795422637383, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: logout_notice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: node_lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.node_lease VALUES ('demo-18080', 1, '', 0);


--
-- Data for Name: pushed_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: recovery_code; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refresh_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refresh_token VALUES ('7KD4VKAFLv0YZqJw39PDJHjF8zXvcMcqaVwmmst9Mao', 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', 'openid profile offline_access device_sso', NULL, 1795422637736, 1798014637736, 1795422637858, 'oYTJ8GVPbj0Gvu0I570ZNxnvrrWAEKGPWyF9q7ggDIg');
INSERT INTO public.refresh_token VALUES ('oYTJ8GVPbj0Gvu0I570ZNxnvrrWAEKGPWyF9q7ggDIg', 'AaIHh06o_RNH8c33XJmB-EcMzpIbZg', 'openid profile offline_access device_sso', NULL, 1795422637858, 1798014637858, NULL, NULL);
INSERT INTO public.refresh_token VALUES ('gcMTZ0A33yy6CoH9MYQ3KiLxYhT-J2Ip6yLpWIhR1gU', 'AaIHh1CXE-HfS5321Xy08xnOGlUabQ', 'openid profile offline_access device_sso', NULL, 1795422638231, 1798014638231, NULL, NULL);


--
-- Data for Name: restore_point; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.restore_point VALUES (1, 0, '7711281469141187621/00000001/16384/16713', NULL, 0);


--
-- Data for Name: revoked_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migration VALUES (1, 'users, clients, login tokens, sessions, audit', 1795422634207);
INSERT INTO public.schema_migration VALUES (2, 'codes, app sessions, refresh tokens, signing keys', 1795422634207);
INSERT INTO public.schema_migration VALUES (3, 'accounts, second factors, consent, pushed requests', 1795422634207);
INSERT INTO public.schema_migration VALUES (4, 'device secrets, settings, refresh cookies', 1795422634207);
INSERT INTO public.schema_migration VALUES (5, 'administration, audit by address, session and token', 1795422634207);
INSERT INTO public.schema_migration VALUES (6, 'audit by user, first signing keys, a demo''s secrets', 1795422634207);
INSERT INTO public.schema_migration VALUES (7, 'webhooks of websites', 1795422634207);
INSERT INTO public.schema_migration VALUES (9, 'audit forwarding', 1795422634207);
INSERT INTO public.schema_migration VALUES (10, 'standard claims of accounts', 1795422634207);
INSERT INTO public.schema_migration VALUES (11, 'lineage of sessions, ends in the order of commits', 1795422634207);
INSERT INTO public.schema_migration VALUES (12, 'signed cuts of the audit log', 1795422634207);
INSERT INTO public.schema_migration VALUES (13, 'login token keys, keys of several nodes', 1795422634207);
INSERT INTO public.schema_migration VALUES (14, 'clients'' assertions that were used', 1795422634207);
INSERT INTO public.schema_migration VALUES (15, 'what opened the console''s sessions', 1795422634207);
INSERT INTO public.schema_migration VALUES (16, 'login tokens in the order of ends', 1795422634207);
INSERT INTO public.schema_migration VALUES (17, 'audit log in sealed segments', 1795422634207);
INSERT INTO public.schema_migration VALUES (20, 'node leases', 1795422634207);
INSERT INTO public.schema_migration VALUES (21, 'restore epoch', 1795422634207);
INSERT INTO public.schema_migration VALUES (22, 'keys of phones, sign-ins that wait for one', 1795422634207);
INSERT INTO public.schema_migration VALUES (23, 'sign-ins across devices', 1795422634207);
INSERT INTO public.schema_migration VALUES (24, 'devices that wait for their user', 1795422634207);
INSERT INTO public.schema_migration VALUES (26, 'logout notices of web sessions', 1795422634207);
INSERT INTO public.schema_migration VALUES (29, 'what phones tell of their holders', 1795422634207);


--
-- Data for Name: self_issued_transaction; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: setting; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES ('6dvbVgyxNJ9u', 'HS256', '12jkHHDRrtPvLvnJm5oE3koRS7ytDm5upx48D4689-a47f0Emz8e8bnBy8U-6ZsPg229QRcM8f7reaVC', '{}', 1795422635967, 1795422635967, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('qDTPFOqn_wAkVKmacTNI2tpK-oPpS7qOItOyyIXC07c', 'ES256', 'F7Z_oB_RJNqoloC3Dsj7PF02h0ap9RgwBkW5666qGWy9xFupOR4g0agsWpHgoOuqPZyHayh_XRu_FuY8', '{"alg":"ES256","crv":"P-256","kid":"qDTPFOqn_wAkVKmacTNI2tpK-oPpS7qOItOyyIXC07c","kty":"EC","use":"sig","x":"_UeLhiC-grp-VFRrwJNedh58wnbpcB78g7RQPsAyWXk","y":"WOHlVcTbr37e_r8k8bC2uBTlCzSEfH2zlEb568twt68"}', 1795422635967, 1795422635967, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('rgmVwMZJzvTxirEiykXdHDD5Kr3jZG7M-PFGoLBC2Vc', 'RS256', 'OluJ3HMSkMDY4UEkEyGv9k1aYDrrs_Qmj_dFPaBEC9uOKXx8Xmi_VG_Owg_nAX9xG4A1I09GuakgBPBhyT8G5eWu71k7rUJpncy5srjge30E8KvXbtY1QEDaO7fkbhUaa_Tpbz62xOME1nA-cFhdvcdPvtlv7eo5T1q9NY9vDgq96ag6aVUXDmlYoPklbn890OurShx_VkRIjX0yap5CCFCcCrBaTHzHElj-dHDwBT1xuhqmyD01PgZ2WUu5RAKk_aOpgYfDmXGW6z_vfn3XcjZhB_CNvAlAN3oueLEh7EEyZ1UDtq1uFGQbibW5S41pwulxKPM__fHm8yMElSxNewraT1D5hq7jVBdge_wpT22nj-NGJ0ixbnN3wT2x4TbCUWQszzCa_uAF_JSsmtv6s5ucuyJr2U82ShHvDjCO2zBnhOLtA1585aGiqZRnhcwB5BLhBbXHDthlXfVwXFrMbpyJy0hw2vR1JrDQ2EZYWUJB8vyDcVeTzFvYFf6uGnLLeFIhJsnB8E3D6E2CAzbncEPlWJE5xEIPcWaI3EqxCW0vbWXKDAjolUr1uEQZMNmR1byqtbgaR9xBQzPm9lcymAfJBU_4y_JLixzDl01R-qelkEka-7yMdOgd9W4_6ReUUbAsjrxZJJDPRUqK-q_YWwN0ZkJv9CkkHdz1BhrBqCqPVKwRc5TXUig7hLDIsvMS23PQaJo6n9So_DbVqvOzmzz08vEag8HvMR4Q3KawpOTftPLLz8ye2XEpRQ73tdPGSmx1eZeFlkzv7eLY399s87wpWZK9bqPBGOjA9HWhQUQ65VTnhNLFtq8lNDWLx0QsfKPVNhny-4VadfrrEKxR0zIA-XG6keW_VNFQczMzb5YBnTArNt2SvZyiqJS42nmQ5ZyF5faZXcdCKmcGTmVMxnuxnZ37sSFOv-LvZbo3Xws9bQyQdD4e-hV7RacqVn1UXLxoLc2eRrBBKCrBSX6MXIBohSL2XZtuln8Q4u1fPcOHmuC2IjSlGOi2nX4NIacVSXoYXIXfB0uL6MsVdDRy-xbSCBaXMwGnSq9c88tiwjdCX1br_O3f8jeogtbK9A6Wl9CSqiCdbwaHjm9tOVmpIvKhrg__J6AGLsyw1-05uyFq-NepX7g2FRnWOKJ93gFn2hVXKOxK2qBqrka1Whp4_iyLnjakjsuECSb3kLCjXTzY9PAuEYBi-iiO7l19wIpPrnv1Tt2x8DL_0s_t4T21xfL6eew4jFNNNHKqQsu3azBktITrOynraxLYMC2208S5WMs6OqS2RzKs8DjGCi5z6-6dw1cSkLCJFW-MdTWMVHNVEe6YTVbUAWauNwBXdVZDTCSzDadDQQQCFeBu7P3nYePRdxjqjO9AXttYKeBKXOS39OH9Wwsj3hLDMy7MxedyXEo6p_7vKPignXn-m9doDjBiSA7akNK_dfSO0MwJrMsmtExzbkOuOFAu6PviNlNHHLoluTNC-i8d0OjEPVUFRuItjlhLtxJjg972iuZiqv8vn_Tw_1VIw_CQZWewnVyjqnlpOWQcK7RDyafaLA_QWlPxC7GaaDKNHEejDYnna-2GYv5_lrINAc5K8nA-y0j_EFiWaoDGNBSdfLI9Tl7xueUlKr4', '{"alg":"RS256","e":"AQAB","kid":"rgmVwMZJzvTxirEiykXdHDD5Kr3jZG7M-PFGoLBC2Vc","kty":"RSA","n":"uQ2Uc4QmhmtmHIlZWCQbJ1gjwWWNNF2jtw-65oFSRE-CLFUmBg2KX30QlH4x8fY5lLQSnbuibwyHgNejbAKJAbMMer0AcP8aiJFp0A13znLnD9ms4wl8IoFH6M1ssdB9TRRumkxFmjSfPwyo7Vq5Nheh0sU4MTIYeXGm1Qjguo3PMRFZwZ5GM9kFbSsnjVItROge_ythlecf1I3s_PJmNpcLrdt7qxssXWcap1zuRF_515M7VU24Z86eINEKeALdqLCPrC8K-0o6NhWPKOtYAT4jgCqEaWp99OBisqYvjLFBb_Z6_WOO1A7UdrePz3LzvrhqC7f0IAt-8Z6cfdFbaQ","use":"sig"}', 1795422635967, 1795422635967, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('ofhONTIahp8hXXVES8lPu97ieTGiSm9r8vTIiZeHu-Y', 'EdDSA', 'c5AQgXPMaI5A-EHlAx83auv2wHtOiCKIxFeIQwiEKABjA-rbcDKJM08dgWYyFA8i5S-46aXK-e8HHhtB', '{"alg":"EdDSA","crv":"Ed25519","kid":"ofhONTIahp8hXXVES8lPu97ieTGiSm9r8vTIiZeHu-Y","kty":"OKP","use":"sig","x":"UDft4Mh_HJfAgflAgq7jfCkijvW1DC1LV4H6jzzuPw4"}', 1795422635967, 1795422635967, NULL, 0, NULL, 1);


--
-- Data for Name: signing_key_change; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key_change VALUES (1, 1);


--
-- Data for Name: signing_key_holder; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: state_sample; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: transaction_number; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.transaction_number VALUES (0);


--
-- Data for Name: upstream_identity; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: web_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.web_session VALUES ('AaIHh0ysTtj99mjxJj8JP5HSv6RLdA', 'tskm7G0cMG_YJNSat7mcUqCxtvX8vVZOiyHjPDU4ZpU', 'alice', 'demo-web', 'demo-app', NULL, 'AaIHh0yQ8q2rUiMAmRd2sg', 'login_token', NULL, NULL, NULL, 1795422637228, 1795465837228, 1800000, 1795422637228, NULL, 1795422637000, NULL, NULL, NULL, 0);
INSERT INTO public.web_session VALUES ('AaIHh0zkihPFEMMtSIbnWXYxYx7NlA', 'aHw28gHMJoOuj3eFMsWaw2smtnjK_GsxtPG15z8ZLi4', 'carol', 'demo-web', 'demo-app', NULL, 'AaIHh0zaFPreo4mH1wNF7g', 'login_token', NULL, NULL, NULL, 1795422637284, 1795465837284, 1800000, 1795422637284, 1795422637310, 1795422637000, NULL, NULL, 749, 0);
INSERT INTO public.web_session VALUES ('AaIHh01ikSfAWAJC6clRb2a0Wafi_Q', 'Ryr6N0fXb04IfyVqVYUj70qXzomqlliFU4vYbDt0q4g', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422637410, 'aal1', '["pwd"]', 1795422637410, 1795465837410, 1800000, 1795422637410, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.web_session VALUES ('AaIHh09rMa2_kf3gMp9cK9nwv7gMSw', 'pBrUzKMZqh5o8PxdUi5N29Hoc_3jK8juPMBXxcnKaHo', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422637931, 'aal1', '["pwd"]', 1795422637931, 1795465837931, 1800000, 1795422637931, NULL, NULL, NULL, NULL, NULL, 0);


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
-- Name: audit_cut audit_cut_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_cut
    ADD CONSTRAINT audit_cut_pkey PRIMARY KEY (node, through);


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
-- Name: audit_index audit_index_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_index
    ADD CONSTRAINT audit_index_pkey PRIMARY KEY (node, first_sequence, field, bucket);


--
-- Name: audit_segment audit_segment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_segment
    ADD CONSTRAINT audit_segment_pkey PRIMARY KEY (node, first_sequence);


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
-- Name: client_assertion_use client_assertion_use_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client_assertion_use
    ADD CONSTRAINT client_assertion_use_pkey PRIMARY KEY (digest);


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
-- Name: cross_device cross_device_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cross_device
    ADD CONSTRAINT cross_device_pkey PRIMARY KEY (record_key);


--
-- Name: demo_material demo_material_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.demo_material
    ADD CONSTRAINT demo_material_pkey PRIMARY KEY (name);


--
-- Name: device_authorization device_authorization_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_authorization
    ADD CONSTRAINT device_authorization_pkey PRIMARY KEY (digest);


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
-- Name: linked_key linked_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.linked_key
    ADD CONSTRAINT linked_key_pkey PRIMARY KEY (thumbprint);


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
-- Name: node_lease node_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.node_lease
    ADD CONSTRAINT node_lease_pkey PRIMARY KEY (node);


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
-- Name: restore_point restore_point_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.restore_point
    ADD CONSTRAINT restore_point_pkey PRIMARY KEY (id);


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
-- Name: self_issued_transaction self_issued_transaction_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.self_issued_transaction
    ADD CONSTRAINT self_issued_transaction_pkey PRIMARY KEY (digest);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: signing_key_change signing_key_change_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key_change
    ADD CONSTRAINT signing_key_change_pkey PRIMARY KEY (id);


--
-- Name: signing_key_holder signing_key_holder_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key_holder
    ADD CONSTRAINT signing_key_holder_pkey PRIMARY KEY (node);


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
-- Name: app_session_granted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_granted ON public.app_session USING btree (granted_in) WHERE (granted_in IS NOT NULL);


--
-- Name: app_session_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_parent ON public.app_session USING btree (parent_id) WHERE (parent_id IS NOT NULL);


--
-- Name: app_session_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_session_subject ON public.app_session USING btree (subject);


--
-- Name: audit_event_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_event_time ON public.audit_event USING btree (at, node, sequence);


--
-- Name: audit_segment_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_segment_end ON public.audit_segment USING btree (node, through);


--
-- Name: audit_segment_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_segment_newest ON public.audit_segment USING btree (newest_at, node, first_sequence);


--
-- Name: authorization_code_browser; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX authorization_code_browser ON public.authorization_code USING btree (browser_session_id) WHERE (redeemed_at IS NULL);


--
-- Name: authorization_code_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX authorization_code_expiry ON public.authorization_code USING btree (expires_at);


--
-- Name: authorization_code_granted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX authorization_code_granted ON public.authorization_code USING btree (granted_in) WHERE ((granted_in IS NOT NULL) AND (redeemed_at IS NULL));


--
-- Name: client_assertion_use_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX client_assertion_use_expiry ON public.client_assertion_use USING btree (expires_at);


--
-- Name: cross_device_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cross_device_expiry ON public.cross_device USING btree (expires_at);


--
-- Name: cross_device_moved; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cross_device_moved ON public.cross_device USING btree (expires_at) WHERE (version > 0);


--
-- Name: device_authorization_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_authorization_expiry ON public.device_authorization USING btree (expires_at);


--
-- Name: device_authorization_user_code; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX device_authorization_user_code ON public.device_authorization USING btree (user_code);


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
-- Name: linked_key_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX linked_key_subject ON public.linked_key USING btree (subject);


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
-- Name: self_issued_transaction_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX self_issued_transaction_expiry ON public.self_issued_transaction USING btree (expires_at);


--
-- Name: web_session_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX web_session_end ON public.web_session USING btree (ended_in) WHERE (ended_in IS NOT NULL);


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


