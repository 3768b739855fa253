#!/bin/sh
# Reads the oldest event of a channel with curl, and verifies with OpenSSL that the bridge signed it.
# It checks the proof alone: not the gateway, the schema, the participant and repeats, as a kit does.
#
#   GATEWAY_PASSWORD_FILE=… CHANNEL=… PUBLIC_KEY=0x04… ./verify-event.sh
#
# PUBLIC_KEY is the bridge's key, uncompressed. Verified evidence of an event has it: `jq -r .origin.publicKey evidence.json`.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:4012}" "${GATEWAY_USER:=admin}" "${FROM:=2000-01-01T00:00:00Z}"
password=$(cat "$GATEWAY_PASSWORD_FILE")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# With `from`, nothing is acknowledged. curl reads the password from its standard input.
printf 'user = "%s:%s"\n' "$GATEWAY_USER" "$password" |
  curl --silent --show-error --fail --config - --get "$GATEWAY_URL/api/v1/message" \
    --data-urlencode "fqcn=$CHANNEL" --data-urlencode "from=$FROM" --data amount=1 >messages.json
jq --exit-status --join-output '.[0].payload' messages.json >event.json

# RFC 8785: members in order, no white space. jq keeps the texts of events, which have no fractions.
jq --compact-output --sort-keys --join-output 'del(.proof)' event.json >canonical.json

# RFC 7515, appendix F: <header>..<signature>; the payload in between is left out.
base64url() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
unbase64url() {
  text=$(tr '_-' '/+')
  while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
  printf %s "$text" | base64 -d
}
proof=$(jq --raw-output .proof event.json)
printf '%s.%s' "${proof%%..*}" "$(base64url <canonical.json)" >signed.txt

# ES256K has r and s of 32 bytes each; OpenSSL reads a DER sequence of two integers.
hex=$(printf %s "${proof##*..}" | unbase64url | od -An -tx1 -v | tr -d ' \n')
r=$(printf %s "$hex" | cut -c1-64)
s=$(printf %s "$hex" | cut -c65-128)
printf 'asn1 = SEQUENCE:pair\n[pair]\nr = INTEGER:0x%s\ns = INTEGER:0x%s\n' "$r" "$s" >pair.cnf
openssl asn1parse -genconf pair.cnf -noout -out signature.der

# RFC 5480: the curve, then the point.
cat >key.cnf <<END
asn1 = SEQUENCE:key
[key]
algorithm = SEQUENCE:algorithm
point = FORMAT:HEX,BITSTRING:${PUBLIC_KEY#0x}
[algorithm]
type = OID:id-ecPublicKey
curve = OID:secp256k1
END
openssl asn1parse -genconf key.cnf -noout -out key.der

openssl dgst -sha256 -verify key.der -keyform DER -signature signature.der signed.txt
jq '{type, id, subject, time, data}' event.json
