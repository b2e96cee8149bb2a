# A website made with Ruby's openid_connect and json-jwt: judges the ID token of a self-issued provider (OpenID Connect
# Core §7.5). Reads {"id_token", "client_id", "nonce"} and writes what it believes.
require "json"
require "openid_connect"

asked = JSON.parse($stdin.read)
token = OpenIDConnect::ResponseObject::IdToken.decode(asked["id_token"], :self_issued)
token.verify!(issuer: "https://self-issued.me", client_id: asked["client_id"], audience: asked["client_id"],
              nonce: asked["nonce"])
puts JSON.generate(
  subject: token.subject, thumbprint: JSON::JWK.new(token.sub_jwk).thumbprint, claims: token.raw_attributes)
