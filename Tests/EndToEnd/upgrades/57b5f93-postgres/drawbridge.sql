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
    ended_in bigint
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

INSERT INTO public.account VALUES ('alice', 'alice', 'alice', 'Alice', 'alice@example.com', '$scrypt$ln=14,r=8,p=1$QWIGOVmdkofYiTsA2iOHUQ$MUVYnJwCsjnHMJxvxoGda6yCcNUA-4LIX1NbaJKz9os', NULL, NULL, NULL, 1795422620937, 1795422620937, NULL, NULL);
INSERT INTO public.account VALUES ('bob', 'bob', 'bob', 'Bob', 'bob@example.com', '$scrypt$ln=14,r=8,p=1$hHcnBWJ4-sXa5XjkrIvgjw$etW7ZbRsjH5NzsogypnH--sywPkgBUIxgGRjvU-D1gs', NULL, NULL, NULL, 1795422620937, 1795422620937, NULL, NULL);
INSERT INTO public.account VALUES ('admin', 'admin', 'admin', 'Admin', 'admin@example.com', '$scrypt$ln=14,r=8,p=1$rdZXcjRejxcriREe3td-8Q$ksUekjBNEtwABTNux03Mtyci2eOsBbcJ9qnXtbyo4Cg', 'admin', NULL, NULL, 1795422620937, 1795422620937, NULL, NULL);


--
-- Data for Name: admin_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: app_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_session VALUES ('AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422622655, 'aal1', '["pwd"]', 'AaIHhxO_6bircy6EwkCie7IK9X1pNA', 'AaIHhxTXijXAOXRFknQTaOlq_wW4uA', NULL, NULL, 0, 1795422622935, 1803198622935, NULL, 'authorize', NULL);
INSERT INTO public.app_session VALUES ('AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', 'alice', 'demo-app', 'openid profile offline_access device_sso', 'authorize', 1795422623032, 'aal1', '["pwd"]', 'AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', 'AaIHhxXWXPbbyOghxNp4F-19JD1IrA', NULL, NULL, 0, 1795422623190, 1803198623190, 1795422623229, 'authorize', NULL);


--
-- Data for Name: app_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_user VALUES ('bob', 'drawbridge', 1795422620937, NULL, NULL);
INSERT INTO public.app_user VALUES ('admin', 'drawbridge', 1795422620937, NULL, NULL);
INSERT INTO public.app_user VALUES ('carol', 'https://backend.example', 1795422622535, NULL, NULL);
INSERT INTO public.app_user VALUES ('alice', 'drawbridge', 1795422620937, NULL, NULL);


--
-- Data for Name: audit_checkpoint; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_checkpoint VALUES ('demo-18080', 41, 1795422623770, 'EFOlHpkywj-VMEZcVwz2_r0sStxE0G4Xgb84GcT4m70', 'localhost/drawbridge/demo-18080
41
EFOlHpkywj+VMEZcVwz2/r0sStxE0G4Xgb84GcT4m70=
time 2026-11-23T08:30:23.770Z

— localhost/drawbridge ban0u4SNRaOVmGCQE4Y9APbNgqRILLujGMzgOSriUXbhDn123eElv57rb9TZdhXT38nRT3nV5kdjRIYxlNpFysVyKgk=
');


--
-- Data for Name: audit_cut; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_event VALUES ('demo-18080', 1, 1795422620937, 'user.created', 'success', NULL, 'alice', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'h-UNl0UYBxmC4Olqk0ZcSc8t-epEntrgk1lhKkFZfvo');
INSERT INTO public.audit_event VALUES ('demo-18080', 2, 1795422620937, 'user.created', 'success', NULL, 'bob', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'h-UNl0UYBxmC4Olqk0ZcSc8t-epEntrgk1lhKkFZfvo', 'ji8un_AiKJ1BYN9FV_d0bSVw_W7V1-VqZ0xU3VKo1Lk');
INSERT INTO public.audit_event VALUES ('demo-18080', 3, 1795422620937, 'user.created', 'success', NULL, 'admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'ji8un_AiKJ1BYN9FV_d0bSVw_W7V1-VqZ0xU3VKo1Lk', 'MbneA0q4C7_Z17FHhdpM354TgVnQczyxu-xicIZzTc0');
INSERT INTO public.audit_event VALUES ('demo-18080', 4, 1795422621447, 'client.created', 'success', 'demo', NULL, 'demo-app', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'MbneA0q4C7_Z17FHhdpM354TgVnQczyxu-xicIZzTc0', 'VKbAc2pBjdXvULaS9JApdlYv1cJo5GV1b2DNfc3kpz0');
INSERT INTO public.audit_event VALUES ('demo-18080', 5, 1795422621454, 'client.created', 'success', 'demo', NULL, 'demo-app-b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'VKbAc2pBjdXvULaS9JApdlYv1cJo5GV1b2DNfc3kpz0', '5Bhux_4KEfRt0UJaZO3q0eWGCLtRZEObF8QP7Zl9bL8');
INSERT INTO public.audit_event VALUES ('demo-18080', 6, 1795422621478, 'client.created', 'success', 'demo', NULL, 'demo-web', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '5Bhux_4KEfRt0UJaZO3q0eWGCLtRZEObF8QP7Zl9bL8', 'SPr3VGaV6lAxw8T1Ij1bK8ipO3FJKqb2OtIJGLF37i0');
INSERT INTO public.audit_event VALUES ('demo-18080', 7, 1795422621486, 'client.created', 'success', 'demo', NULL, 'demo-webview', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'SPr3VGaV6lAxw8T1Ij1bK8ipO3FJKqb2OtIJGLF37i0', 'Blez1WmGWiPW_60B4RySSEth31K-hQUYcpEE-jt9uaU');
INSERT INTO public.audit_event VALUES ('demo-18080', 8, 1795422621498, 'client.created', 'success', 'demo', NULL, 'demo-rp', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'Blez1WmGWiPW_60B4RySSEth31K-hQUYcpEE-jt9uaU', 'VsEAcviJcpBTh5sGLV7bVeNz6tFzkzRKuHJpk178n-U');
INSERT INTO public.audit_event VALUES ('demo-18080', 9, 1795422621499, 'client.created', 'success', 'demo', NULL, 'demo-admin', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'VsEAcviJcpBTh5sGLV7bVeNz6tFzkzRKuHJpk178n-U', 'h7daWakNNORAIejGBjYJOuiWHr9ZiBA1LcwLBkuvLWg');
INSERT INTO public.audit_event VALUES ('demo-18080', 10, 1795422621551, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"HS256","kid":"Ege8C_4BMRXI","signs_from":"2026-11-23T08:30:21.551Z"}', 'h7daWakNNORAIejGBjYJOuiWHr9ZiBA1LcwLBkuvLWg', '4Yk17enSmhdwBKeL2WJXaRsy90U3Jm_N8n2idEwMi60');
INSERT INTO public.audit_event VALUES ('demo-18080', 11, 1795422621551, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"ES256","kid":"31jD-YMibakf6yUoogNaT6hOXmXZTlw2nZtC7nGcMt8","signs_from":"2026-11-23T08:30:21.551Z"}', '4Yk17enSmhdwBKeL2WJXaRsy90U3Jm_N8n2idEwMi60', 'zifnHooutIPM1jdb0u0qXF2Ntho3n9xYtD29SiYbifU');
INSERT INTO public.audit_event VALUES ('demo-18080', 12, 1795422621551, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"RS256","kid":"F0q0aF33wCOOBf9-jlZqHCx2H1z_Yh4PsmCqBV6uJSk","signs_from":"2026-11-23T08:30:21.551Z"}', 'zifnHooutIPM1jdb0u0qXF2Ntho3n9xYtD29SiYbifU', 'lgwZzdZMVg3FAp2Xd4Bj7BD4q5tipNunq-EEePVG0Io');
INSERT INTO public.audit_event VALUES ('demo-18080', 13, 1795422621551, 'key.rotated', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"algorithm":"EdDSA","kid":"RHNneu4SMyxPxElWjqPMEPwkTkAtncbvvg8cEeCZ9p0","signs_from":"2026-11-23T08:30:21.551Z"}', 'lgwZzdZMVg3FAp2Xd4Bj7BD4q5tipNunq-EEePVG0Io', 'sOaVe3e2IZdipL0k1Q_aiVQlPyy2ulAm0B8QKvlZiI0');
INSERT INTO public.audit_event VALUES ('demo-18080', 14, 1795422622424, 'node.started', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'sOaVe3e2IZdipL0k1Q_aiVQlPyy2ulAm0B8QKvlZiI0', '2M2aMGjDerae6HjJskqhm2ZeJm_z2jP2CVFDsnUCz7s');
INSERT INTO public.audit_event VALUES ('demo-18080', 15, 1795422622496, 'login_token.issued', 'success', NULL, 'alice', 'demo-app', 'demo-web', NULL, 'AaIHhxMgLpSOXyOOSrf3WQ', '127.0.0.1', NULL, 'AaIHhxMGyAZRVYkUYUcM', NULL, '2M2aMGjDerae6HjJskqhm2ZeJm_z2jP2CVFDsnUCz7s', 'SENvS3L6V6Z1ZLX9cL-tkzzkN6tyPj8bMRuEtmCMyCE');
INSERT INTO public.audit_event VALUES ('demo-18080', 16, 1795422622514, 'login_token.redeemed', 'success', NULL, 'alice', 'demo-app', 'demo-web', 'AaIHhxMyoDS7BhT0BjsEOehSB_Hslg', 'AaIHhxMgLpSOXyOOSrf3WQ', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxMy75zeovuGqDZu', NULL, 'SENvS3L6V6Z1ZLX9cL-tkzzkN6tyPj8bMRuEtmCMyCE', 'bhnWU94iQdeD7vy64MyLGjA33HSmHxPrFut-Seoxl4I');
INSERT INTO public.audit_event VALUES ('demo-18080', 17, 1795422622514, 'web_session.opened', 'success', 'login_token', 'alice', 'demo-app', 'demo-web', 'AaIHhxMyoDS7BhT0BjsEOehSB_Hslg', 'AaIHhxMgLpSOXyOOSrf3WQ', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxMy75zeovuGqDZu', NULL, 'bhnWU94iQdeD7vy64MyLGjA33HSmHxPrFut-Seoxl4I', 'y2wCpSWES0lI1d7VcX1sqMZqbtYkmYwFbXcAU0qR0cE');
INSERT INTO public.audit_event VALUES ('demo-18080', 18, 1795422622535, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, 'AaIHhxNH5ifauWEeuz2F1A', '127.0.0.1', NULL, 'AaIHhxNGlW3NTN0Uq_6A', NULL, 'y2wCpSWES0lI1d7VcX1sqMZqbtYkmYwFbXcAU0qR0cE', 'eN_f2xKAqlf3tF7pkLX6JOBumShz7tXpNL2Tdlh-Efw');
INSERT INTO public.audit_event VALUES ('demo-18080', 19, 1795422622548, 'login_token.redeemed', 'success', NULL, 'carol', 'demo-app', 'demo-web', 'AaIHhxNUpViH6uvYttDmsDdST2OHgg', 'AaIHhxNH5ifauWEeuz2F1A', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxNUOIFGbU4x4D24', NULL, 'eN_f2xKAqlf3tF7pkLX6JOBumShz7tXpNL2Tdlh-Efw', 'BT9PqDVArRgPsUR-0JS6nJI6ZyxhK268iKdiswQvnO0');
INSERT INTO public.audit_event VALUES ('demo-18080', 20, 1795422622548, 'web_session.opened', 'success', 'login_token', 'carol', 'demo-app', 'demo-web', 'AaIHhxNUpViH6uvYttDmsDdST2OHgg', 'AaIHhxNH5ifauWEeuz2F1A', '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxNUOIFGbU4x4D24', NULL, 'BT9PqDVArRgPsUR-0JS6nJI6ZyxhK268iKdiswQvnO0', 'qTIO3D_zPCFbRVrv8NLvfQmNZX9rNu_8aZbzEXBPrnU');
INSERT INTO public.audit_event VALUES ('demo-18080', 21, 1795422622564, 'login_token.replayed', 'failure', 'replayed', 'carol', 'demo-app', 'demo-web', 'AaIHhxNUpViH6uvYttDmsDdST2OHgg', 'AaIHhxNH5ifauWEeuz2F1A', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHhxNky6lw-MLTj4tj', NULL, 'qTIO3D_zPCFbRVrv8NLvfQmNZX9rNu_8aZbzEXBPrnU', 'ZNb_zOI5N7PEd_jmEw9XQ5wsdCBaFvx02cvwJaW2DS4');
INSERT INTO public.audit_event VALUES ('demo-18080', 22, 1795422622564, 'web_session.ended', 'success', 'token_replayed', 'carol', 'demo-app', 'demo-web', 'AaIHhxNUpViH6uvYttDmsDdST2OHgg', 'AaIHhxNH5ifauWEeuz2F1A', '127.0.0.1', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1', 'AaIHhxNky6lw-MLTj4tj', NULL, 'ZNb_zOI5N7PEd_jmEw9XQ5wsdCBaFvx02cvwJaW2DS4', 'r2wznQE04hXmBr3vYqhp_QOKeEn3DwVuvkzmyT3uNYo');
INSERT INTO public.audit_event VALUES ('demo-18080', 23, 1795422622623, 'login_token.issued', 'success', NULL, 'carol', 'demo-app', 'demo-web', NULL, 'AaIHhxOf0hEIpaZ7aajGJw', '127.0.0.1', NULL, 'AaIHhxOTz4dapQPw-XMD', NULL, 'r2wznQE04hXmBr3vYqhp_QOKeEn3DwVuvkzmyT3uNYo', 'RWxdSmxvHMUeAUh6xWW9iwoGeglzu8-MS3C2ZSgTYr0');
INSERT INTO public.audit_event VALUES ('demo-18080', 24, 1795422622643, 'login_token.revoked', 'success', 'by_app', 'carol', 'demo-app', NULL, NULL, 'AaIHhxOf0hEIpaZ7aajGJw', '127.0.0.1', NULL, 'AaIHhxOpMO6Hpo0uVS_L', NULL, 'RWxdSmxvHMUeAUh6xWW9iwoGeglzu8-MS3C2ZSgTYr0', 'x1z5p1sLgaxRiX0FfnppqaSrMcAYfznf6j1zxqDw0Ps');
INSERT INTO public.audit_event VALUES ('demo-18080', 25, 1795422622655, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhxO_6bircy6EwkCie7IK9X1pNA', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxO_XTGFhIJS3e38', NULL, 'x1z5p1sLgaxRiX0FfnppqaSrMcAYfznf6j1zxqDw0Ps', 'orT77Dyf-BrcgdRaJcUQ7eJudfUXeBRPCZ05KGKnuIY');
INSERT INTO public.audit_event VALUES ('demo-18080', 26, 1795422622655, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhxO_6bircy6EwkCie7IK9X1pNA', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxO_XTGFhIJS3e38', NULL, 'orT77Dyf-BrcgdRaJcUQ7eJudfUXeBRPCZ05KGKnuIY', 'M8psVdlU5GUWReiUsh1Oyoy2cHeNaAXLbG3TSco0uPA');
INSERT INTO public.audit_event VALUES ('demo-18080', 27, 1795422622902, 'consent.granted', 'success', NULL, 'alice', 'demo-app', NULL, NULL, NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxSyLYrtVz0TGNF4', NULL, 'M8psVdlU5GUWReiUsh1Oyoy2cHeNaAXLbG3TSco0uPA', 'L9YvNjH6iIHMReEPJ5WMh3YN1flJ-S4uNBsLCY9vmE4');
INSERT INTO public.audit_event VALUES ('demo-18080', 28, 1795422622902, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxO_6bircy6EwkCie7IK9X1pNA', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxSyLYrtVz0TGNF4', NULL, 'L9YvNjH6iIHMReEPJ5WMh3YN1flJ-S4uNBsLCY9vmE4', 'BEFT6Esjed1-J1g6fhcjrP3LPDIaK3jc8HiijHKjSMk');
INSERT INTO public.audit_event VALUES ('demo-18080', 29, 1795422622935, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxTXHiZT9GfiKGWq', NULL, 'BEFT6Esjed1-J1g6fhcjrP3LPDIaK3jc8HiijHKjSMk', 'R2s9s4SMbwBwJNRJXM1SIdPcJAkeUDa9uDqFXY8MrYk');
INSERT INTO public.audit_event VALUES ('demo-18080', 30, 1795422622935, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxTXHiZT9GfiKGWq', NULL, 'R2s9s4SMbwBwJNRJXM1SIdPcJAkeUDa9uDqFXY8MrYk', 'YaKyLQ2FYs1TwpzaVInlbI1vx5xKzB4dmvsk9LbnxyA');
INSERT INTO public.audit_event VALUES ('demo-18080', 31, 1795422622935, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxTXHiZT9GfiKGWq', '{"device_secret_id":"AaIHhxTXijXAOXRFknQTaOlq_wW4uA"}', 'YaKyLQ2FYs1TwpzaVInlbI1vx5xKzB4dmvsk9LbnxyA', 'LVBwgLuOdjGNL-J-89Db4yjCbHKkRSQBR-uY1-LtQM0');
INSERT INTO public.audit_event VALUES ('demo-18080', 32, 1795422622986, 'refresh_token.rotated', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxUKENKnZTBUKhGm', NULL, 'LVBwgLuOdjGNL-J-89Db4yjCbHKkRSQBR-uY1-LtQM0', 'h35jQuxzcTEyWaVWNC0zrZe2L9w1VwYNqgf1Nk0Gi4E');
INSERT INTO public.audit_event VALUES ('demo-18080', 33, 1795422622986, 'device_secret.issued', 'success', 'refresh', 'alice', 'demo-app', NULL, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxUKENKnZTBUKhGm', '{"device_secret_id":"AaIHhxTXijXAOXRFknQTaOlq_wW4uA"}', 'h35jQuxzcTEyWaVWNC0zrZe2L9w1VwYNqgf1Nk0Gi4E', 'PF34rXyRH-lMgvjBNl89rh4rl2hoCaHfaWoAQOGmJSg');
INSERT INTO public.audit_event VALUES ('demo-18080', 34, 1795422623032, 'user.signed_in', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxU4vjIFVBlzdcMx', NULL, 'PF34rXyRH-lMgvjBNl89rh4rl2hoCaHfaWoAQOGmJSg', 'OQeZ_j6GYw6I2XvoJmxyEI5Lk_m3YzLAWYbLrYSb3aw');
INSERT INTO public.audit_event VALUES ('demo-18080', 35, 1795422623032, 'web_session.opened', 'success', NULL, 'alice', NULL, 'demo-web', 'AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxU4vjIFVBlzdcMx', NULL, 'OQeZ_j6GYw6I2XvoJmxyEI5Lk_m3YzLAWYbLrYSb3aw', 'ULNv7-az7Zi1DCzEDy7IaahQavHsbquzTNw_u3TR_lQ');
INSERT INTO public.audit_event VALUES ('demo-18080', 36, 1795422623171, 'authorization_code.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', NULL, '127.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'AaIHhxXCOKaToyKZZJfL', NULL, 'ULNv7-az7Zi1DCzEDy7IaahQavHsbquzTNw_u3TR_lQ', 'SjJVdiVpsQYX3pA64qUGIeHqGk5jhaFs6BzbMMpWUa4');
INSERT INTO public.audit_event VALUES ('demo-18080', 37, 1795422623190, 'authorization_code.redeemed', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxXW7iGmjqcbZ6j7', NULL, 'SjJVdiVpsQYX3pA64qUGIeHqGk5jhaFs6BzbMMpWUa4', 'h-r7vtZHwUzWuHunbyKPyzSrb0nqJ1Yr7BsgQg9D_JY');
INSERT INTO public.audit_event VALUES ('demo-18080', 38, 1795422623190, 'app_session.opened', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxXW7iGmjqcbZ6j7', NULL, 'h-r7vtZHwUzWuHunbyKPyzSrb0nqJ1Yr7BsgQg9D_JY', 'T85h83RqTv4ZXpTkKEKlqvNld9w9Xp3467abmC8J3Y0');
INSERT INTO public.audit_event VALUES ('demo-18080', 39, 1795422623190, 'device_secret.issued', 'success', NULL, 'alice', 'demo-app', NULL, 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxXW7iGmjqcbZ6j7', '{"device_secret_id":"AaIHhxXWXPbbyOghxNp4F-19JD1IrA"}', 'T85h83RqTv4ZXpTkKEKlqvNld9w9Xp3467abmC8J3Y0', 'B4c8ftFJmyAJVieDAmpyo5BcqIM6_CYgCdPNxnaMY0Q');
INSERT INTO public.audit_event VALUES ('demo-18080', 40, 1795422623229, 'app_session.ended', 'success', 'revoked', 'alice', 'demo-app', NULL, 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', NULL, '127.0.0.1', 'ExampleApp/3.1', 'AaIHhxX970FKY-pu2GU0', NULL, 'B4c8ftFJmyAJVieDAmpyo5BcqIM6_CYgCdPNxnaMY0Q', 'PYrk9e8JDfAagWEX4upGuuhpM6v-4_uL0ZaUA1Ub0V8');
INSERT INTO public.audit_event VALUES ('demo-18080', 41, 1795422623753, 'node.stopped', 'success', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'PYrk9e8JDfAagWEX4upGuuhpM6v-4_uL0ZaUA1Ub0V8', 'EFOlHpkywj-VMEZcVwz2_r0sStxE0G4Xgb84GcT4m70');


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

INSERT INTO public.authorization_code VALUES ('iB2DjWSrkbR4Cpr6YGJ_7Y-020kbO-tHMmx1jKJUzEU', 'demo-app', 'https://app.example.com/callback', 'DQep6yiDlWHItlIv74AWcJo1JX86oFfMCxbrMD6v4lM', NULL, 'openid profile offline_access device_sso', 'alice', 1795422622655, 'aal1', '["pwd"]', 'AaIHhxO_6bircy6EwkCie7IK9X1pNA', NULL, NULL, 1795422622902, 1795422682902, 0, 1795422622935, 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', NULL);
INSERT INTO public.authorization_code VALUES ('xLU5ROFVndBey_wtKcyujSVu8wCklKPyFtozb7oyhjI', 'demo-app', 'https://app.example.com/callback', 'hDkhV0ZgC4EHYMXatzQWVEmnxxEk7qiAyax44xZEDb8', NULL, 'openid profile offline_access device_sso', 'alice', 1795422623032, 'aal1', '["pwd"]', 'AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', NULL, NULL, 1795422623171, 1795422683171, 0, 1795422623190, 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', NULL);


--
-- Data for Name: client; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.client VALUES ('demo-app', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app","client_name":"Demo app","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demo:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demo:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app-b","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422621447);
INSERT INTO public.client VALUES ('demo-app-b', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":true,"client_id":"demo-app-b","client_name":"Demo app B","client_type":"native","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":true,"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":["demo-web"],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":["com.example.demob:/signed-out"],"redeem":"direct","redirect_uris":["com.example.demob:/callback","http://127.0.0.1/callback","http://[::1]/callback","https://app.example.com/callback"],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":["demo-app","demo-webview"],"token_endpoint_auth_method":"none"}', 1795422621454);
INSERT INTO public.client VALUES ('demo-web', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-web","client_name":"Demo website","client_secret_digest":"u09Wh11zd3K_OA2CCtNAeVZpecJgQyjotDwpx36MdJc","client_type":"web","cookie_prefix":"","cookie_profile":"session","default_return_path":"/contacts","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"return_paths":["/contacts","/account/*","/user/contacts/index.php"],"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422621478);
INSERT INTO public.client VALUES ('demo-webview', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-webview","client_name":"Demo web view","client_type":"web","cookie_prefix":"vagov_","cookie_profile":"tokens","delivery":"cookies","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["refresh_token","urn:ietf:params:oauth:grant-type:token-exchange"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":true,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"none"}', 1795422621486);
INSERT INTO public.client VALUES ('demo-rp', '{"accepts_endpoint_audience":false,"access_token_lifetime":900,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-rp","client_name":"Demo relying party","client_secret_digest":"ghUWzgvOjFynZo6W3Lux6zcKCZ7NZlEsrz5W4apZYxA","client_type":"web","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["authorization_code","refresh_token"],"id_token_signed_response_alg":"ES256","may_introspect":"own","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":["https://rp.example.com/signed-out"],"redeem":"direct","redirect_uris":["https://rp.example.com/callback","https://rp.example.com/callback?foo=bar"],"reject_reused_challenge":false,"require_pkce":false,"require_pushed_authorization_requests":false,"scope":"openid profile email address phone offline_access","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422621498);
INSERT INTO public.client VALUES ('demo-admin', '{"accepts_endpoint_audience":false,"access_token_lifetime":86400,"allow_localhost":false,"block_webviews":false,"can_issue_login_tokens":false,"client_id":"demo-admin","client_name":"Demo administration","client_secret_digest":"HChrYf4Q-_4uz6G5GItUdVev68iRuBTKRXltToBYx3U","client_type":"service","cookie_prefix":"","cookie_profile":"session","delivery":"body","dpop_bound_access_tokens":false,"first_party":false,"grant_types":["client_credentials"],"id_token_signed_response_alg":"ES256","may_introspect":"any","may_reach":[],"native_sso_enabled":false,"on_replay":"end_session","post_logout_redirect_uris":[],"redeem":"direct","redirect_uris":[],"reject_reused_challenge":false,"require_pkce":true,"require_pushed_authorization_requests":false,"scope":"admin","session_idle":1800,"session_lifetime":43200,"share_with":[],"token_endpoint_auth_method":"client_secret_basic"}', 1795422621499);


--
-- Data for Name: client_assertion_use; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: consent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.consent VALUES ('alice', 'demo-app', 'device_sso offline_access openid profile', 1795422622902);


--
-- Data for Name: demo_material; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.demo_material VALUES ('audit-signing-key', 'PRIVATE+KEY+localhost/drawbridge+6da9f4bb+AYVZIsA1sevp+1fkqsrm8uInPv2fAdrbKpNFd2xB04U6');
INSERT INTO public.demo_material VALUES ('master-key', 'sW4fMfBC_tdMDhjJ9aVxje8G60uCKehdy37puz5J35g');
INSERT INTO public.demo_material VALUES ('password-seed', 'pLCp-jBR5wQ6jrSoxPFTvagdrTmJ7lgTye4WUNSCU74');
INSERT INTO public.demo_material VALUES ('trusted-issuer-secret', 'YvWAj_cY5Dkb3a8JLWM_VzWnanxbfHKpDQYAxV_DgUQ');


--
-- Data for Name: device_secret; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret VALUES ('AaIHhxTXijXAOXRFknQTaOlq_wW4uA', 'alice', 'demo-app', 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', 'ExampleApp/3.1', NULL, 1795422622935, NULL, 0, 1798014622935, NULL, NULL, NULL);
INSERT INTO public.device_secret VALUES ('AaIHhxXWXPbbyOghxNp4F-19JD1IrA', 'alice', 'demo-app', 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', 'ExampleApp/3.1', NULL, 1795422623190, NULL, 0, 1798014623190, NULL, NULL, NULL);


--
-- Data for Name: device_secret_digest; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_secret_digest VALUES ('fGb69yJD__o3Ewdg-3_IGSWg1f6BncCVXEUhLKLy1I8', 'AaIHhxTXijXAOXRFknQTaOlq_wW4uA', 1795422622935, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('kWWY0gfZk6aSL5lq7xQYWvLzXM9Ov2bndK20rVzpTVk', 'AaIHhxTXijXAOXRFknQTaOlq_wW4uA', 1795422622986, NULL, NULL);
INSERT INTO public.device_secret_digest VALUES ('WabJbB-9LvoXsJ1Vgz357VSEpDVGOrhsmI57DaOpXZ8', 'AaIHhxXWXPbbyOghxNp4F-19JD1IrA', 1795422623190, NULL, NULL);


--
-- Data for Name: heartbeat; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: login_token_use; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_token_use VALUES ('AaIHhxMgLpSOXyOOSrf3WQ', 'alice', 'demo-app', 1795422622000, 1795422682000, 'redeemed', 0, 1795422622514, 'AaIHhxMyoDS7BhT0BjsEOehSB_Hslg', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE', NULL, NULL);
INSERT INTO public.login_token_use VALUES ('AaIHhxNH5ifauWEeuz2F1A', 'carol', 'demo-app', 1795422622000, 1795422682000, 'redeemed', 0, 1795422622548, 'AaIHhxNUpViH6uvYttDmsDdST2OHgg', '127.0.0.1', '1HqMH_Y34t3JjADsl-QXF8X-FjMJTLXCj0tezukxUKE', NULL, NULL);
INSERT INTO public.login_token_use VALUES ('AaIHhxOf0hEIpaZ7aajGJw', 'carol', 'demo-app', 1795422622000, 1795422682000, 'revoked', 0, 1795422622643, NULL, NULL, NULL, NULL, NULL);


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

INSERT INTO public.refresh_token VALUES ('vdgGM7RXW-qTFGRCwBsQLxPNcZ71JFfINTn36dT4FSs', 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', 'openid profile offline_access device_sso', NULL, 1795422622935, 1798014622935, 1795422622986, 'fxwFRQF_pjYvj7U5TgPyZhFLcci75u3Hm5FV9qqddSE');
INSERT INTO public.refresh_token VALUES ('fxwFRQF_pjYvj7U5TgPyZhFLcci75u3Hm5FV9qqddSE', 'AaIHhxTX3k8zobn7uIKhgRpwrXe8Fw', 'openid profile offline_access device_sso', NULL, 1795422622986, 1798014622986, NULL, NULL);
INSERT INTO public.refresh_token VALUES ('k8AAdP_8YNMHO2DwS8ajBrCVxQYmXnhW3ozNhw9Gx-k', 'AaIHhxXWOmO5E3vGm_ovd_W8dq43CA', 'openid profile offline_access device_sso', NULL, 1795422623190, 1798014623190, NULL, NULL);


--
-- Data for Name: revoked_token; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migration VALUES (1, 'users, clients, login tokens, sessions, audit', 1795422620158);
INSERT INTO public.schema_migration VALUES (2, 'codes, app sessions, refresh tokens, signing keys', 1795422620158);
INSERT INTO public.schema_migration VALUES (3, 'accounts, second factors, consent, pushed requests', 1795422620158);
INSERT INTO public.schema_migration VALUES (4, 'device secrets, settings, refresh cookies', 1795422620158);
INSERT INTO public.schema_migration VALUES (5, 'administration, audit by address, session and token', 1795422620158);
INSERT INTO public.schema_migration VALUES (6, 'audit by user, first signing keys, a demo''s secrets', 1795422620158);
INSERT INTO public.schema_migration VALUES (7, 'webhooks of websites', 1795422620158);
INSERT INTO public.schema_migration VALUES (9, 'audit forwarding', 1795422620158);
INSERT INTO public.schema_migration VALUES (10, 'standard claims of accounts', 1795422620158);
INSERT INTO public.schema_migration VALUES (11, 'lineage of sessions, ends in the order of commits', 1795422620158);
INSERT INTO public.schema_migration VALUES (12, 'signed cuts of the audit log', 1795422620158);
INSERT INTO public.schema_migration VALUES (13, 'login token keys, keys of several nodes', 1795422620158);
INSERT INTO public.schema_migration VALUES (14, 'clients'' assertions that were used', 1795422620158);
INSERT INTO public.schema_migration VALUES (15, 'what opened the console''s sessions', 1795422620158);
INSERT INTO public.schema_migration VALUES (16, 'login tokens in the order of ends', 1795422620158);
INSERT INTO public.schema_migration VALUES (17, 'audit log in sealed segments', 1795422620158);


--
-- Data for Name: setting; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES ('Ege8C_4BMRXI', 'HS256', 'q1bAxIUYkurynaYxoC5Sv7K_ChRuRc5_XNJEAO1jWW274kFzbv8vZTUKylHRc0O7ayiGx6SjD3vsyjO_', '{}', 1795422621551, 1795422621551, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('31jD-YMibakf6yUoogNaT6hOXmXZTlw2nZtC7nGcMt8', 'ES256', 'unxsoa2QOSUgaqjXfhyg-B5tLvfVzYQr5XjzuWrmbq2ZniSmorxQ9G3tNtgXtTzQ5b76pJgo0aejlNIy', '{"alg":"ES256","crv":"P-256","kid":"31jD-YMibakf6yUoogNaT6hOXmXZTlw2nZtC7nGcMt8","kty":"EC","use":"sig","x":"CdW6IQqGpiwtQ8Pth0FpVQo2e5FFdN0isaeLbQFIKdk","y":"fNpto76DqNoW0iYLRGS-Lp03Au0Ef2sa--jJxCd2MZU"}', 1795422621551, 1795422621551, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('F0q0aF33wCOOBf9-jlZqHCx2H1z_Yh4PsmCqBV6uJSk', 'RS256', 'ql1kcx_EU0s9j4SIR_bEYZEYR04mq-9HJwfcQXvqbUEPn8FiEgl1cYMjhPm1IXZfccH9dvY25H1bdebY4XXqKcTLOWh9xGIEaqMoBHnZPmbjxNEB5-bWIYLdPY_gEXwvXlktKvZgE5vVimvLRfK_mHCsEFfNMgTIPpEsPWAKjCxz_gEcI4HN9Qn3Mp3VbLwXmUc5TDowGZ6jEa9zl5bT-2ip3xQADrbaGdaVYN7gRzO2bZEAd9fd0Bz84q0VCYRx0PqYNQkazhJshugDitkrXZEpWN4WUV50q_GWuKsWVaT6eV8LQDskSm1BWYI9y4qr7S-va7PCpBJjXn-OPowHIWP3olJ1Tp288kee9BBlnehaaf4tqu_Wx_S_lscZ3i08GnV3O6ugU_AvCdZ1J2tcW2guPxd4OojCa3rRBrLLThgwsH53ha_RXD9bbyp8CN75Od5C6i73i8RcrSeFd2WPJWmQlY_dh73xQJ8iSHiKQLki-wY2R1fowHDob1nrSGnmKj9l1VeVSq5ffJUOuH7JlX0S_qu15mLtPFLOUpOl1rvrhhRG9OEkAQDmyaK1QT44pRXSTb75JNqi8JWpVVlcwtk7ItUJhlbKicxkEmO7vumuDwjwiBosEXvEWCJqu5lPYVjR0ekH3UCEiRS5o5rETbCZ4VGJd0gdlRtv7E2FcxgVKEmJqKgv1vcr0sYe0eNDML2shqAiiKSu2Y5uTNwHWblyVQJHxUnHAT9e6xLn2mFsFj9C5tUC7p_oqdpvpn93pId47S1nZ-oLK7mGtCaFb_58UPysi8XlqdmZ_vfq8KwJJtPrkOdkq0JkBTf-0uCh5C4E3ONh3ylCGp_72AB-uhzXWF4zLr-Xe8pGnaIGn-NUh2VdN0YdYJZVq-pN6krLZozYpN7Jkr3H9IMoIABsr55ejp5lXIZJ4isbqHrpuPZ0gqg_3bqcghHJ81YSH4Ig2IIkOTLHl6RgLNWfa96FBywTV-2z6pd8TKh2q-oXC0lewET66bCpmxlYaNCDIjd5a7SlyXJPoUllKWm-xee76axCpJ87ZucFigf82dzzAFOjS0hBsnbh3pLeyU_uMS8GVGRp8hQO-i-04RObcvQKD3Z-bFzCZsCz3v45MJ2kDVw_oyJCYb4lHHMP4avOzfbRPbvUR1KHEx_N9ZI-wgJa_4HkQfvAxX9m7rfmX2PE4zm_-YxPrRP3TRV-dWjAhDjU8aSgXPVKhLzHU6aJETa98Wg15sDZtkW_XlsBfqVVogF92KdfwQEa7jb-5ike82CWjp0qk5mjV2TB03xMtoH1A85uXQaA6hBsB38lKvogXYQ7gYaAuQaPmmhSxBVwKoHbTpMAMakCEF_WZt39tnIOQBoOHwB11fuLdC8G0E072Tz-rHQrqwjxKfuSqhHoorDZ48r_xfG1sf6oWtkUu7snFQJ3gfsufEnagh3wvnD3TVYK6XWXLccc4XzXZOpxrlz4omKOO5yQW2dnrA21D85YynqxjdCwgH2UCwlOlLiy1J11N5S1LO5lw0h5pDwUPKJ2hF_sZrFnhVrP_PhEMF3YDVUFZrhAcfbDSsuKfGAptFtDxJ4SglExT_nHwyaGASwgEwnSEUsNAvyB5OkCVoZsljj4', '{"alg":"RS256","e":"AQAB","kid":"F0q0aF33wCOOBf9-jlZqHCx2H1z_Yh4PsmCqBV6uJSk","kty":"RSA","n":"sMWRcZt57Smvaqx-DmKMdLI0fFpADrCL7RIaIikOzulQZznRglTkaFGgwWI0tKbKLkj0Ff1H1zv8xcOszCleAy9YXmnu_Lp9sKBJ-3xw0yNlJNFjv7bfAxUEqOCSIbUZ2o8bZh-Hcw_g1GRDR9cte_x6PLhXOjB_hMMR-v9Qqe7IR36nQEs7N3aIpN-vqPphOEKTXax7iQrU3J2btHPec2KrQds_5jywDyyui2YKKFzB0bhjSLq9CnOkn5HZ9RHWIcQ7_vqXgDG_0f9t5hBgJEgLfGHqo2nvWOjFOfxA-bhoh_kc6kj3KkEkQjNM_6ibgHegEdzBTwlGxwCFnjbqpw","use":"sig"}', 1795422621551, 1795422621551, NULL, 0, NULL, 1);
INSERT INTO public.signing_key VALUES ('RHNneu4SMyxPxElWjqPMEPwkTkAtncbvvg8cEeCZ9p0', 'EdDSA', 'BAXx9PWCHOHJiiW3lFGyFg4D7Zhm3tUXR-Iq0ldEX-CNieB5Gn-2SqHmlTEbtqngXxVRaRzN7KrlMMDc', '{"alg":"EdDSA","crv":"Ed25519","kid":"RHNneu4SMyxPxElWjqPMEPwkTkAtncbvvg8cEeCZ9p0","kty":"OKP","use":"sig","x":"ZRT5xXwAXwr5yNPkSMT9HvYkcuvdO0ReNXniU5juzL0"}', 1795422621551, 1795422621551, NULL, 0, NULL, 1);


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

INSERT INTO public.web_session VALUES ('AaIHhxMyoDS7BhT0BjsEOehSB_Hslg', 'IuUmJ2JvixcBXqZAm-0vFtUut0LSWlgwH8WIk-UKqnI', 'alice', 'demo-web', 'demo-app', NULL, 'AaIHhxMgLpSOXyOOSrf3WQ', 'login_token', NULL, NULL, NULL, 1795422622514, 1795465822514, 1800000, 1795422622514, NULL, 1795422622000, NULL, NULL, NULL);
INSERT INTO public.web_session VALUES ('AaIHhxNUpViH6uvYttDmsDdST2OHgg', 'S2R8hZOB7vIGDZacOxrEQ28HSNky6i_4SOY7GIRqR5c', 'carol', 'demo-web', 'demo-app', NULL, 'AaIHhxNH5ifauWEeuz2F1A', 'login_token', NULL, NULL, NULL, 1795422622548, 1795465822548, 1800000, 1795422622548, 1795422622564, 1795422622000, NULL, NULL, 747);
INSERT INTO public.web_session VALUES ('AaIHhxO_6bircy6EwkCie7IK9X1pNA', 'LrLuky0whRRwmvumeSBex6y-FaU34ph5Jjl847pPSWo', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422622655, 'aal1', '["pwd"]', 1795422622655, 1795465822655, 1800000, 1795422622655, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.web_session VALUES ('AaIHhxU4W5UOjmJbLfZAvnvXQZg5zg', '6f4pUA_blIhIGheNCe7cKCnlko6C17Ww8VbdC1PcYbY', 'alice', 'demo-web', NULL, NULL, NULL, 'authorize', 1795422623032, 'aal1', '["pwd"]', 1795422623032, 1795465823032, 1800000, 1795422623032, NULL, NULL, NULL, NULL, NULL);


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


