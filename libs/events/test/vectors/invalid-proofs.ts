import { createHash } from 'node:crypto';
import { base64url, canonical, detachedJws, type Json, type MessageChanges } from './make-message.js';
import {
  BETA_BRIDGE,
  BRIDGE,
  GATEWAY,
  OTHER_BRIDGE,
  RETIRED_BRIDGE,
  REVOKED_BRIDGE,
  UNKNOWN_BRIDGE,
  type Party,
} from './parties.js';
import { MARGIN, STATEMENT } from './valid.js';
import { refused, type Refusal, type Vector } from './vector.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const proof = (change: (proof: string, canonical: string) => unknown): MessageChanges => ({ proof: change });
/** Replaces one of the three parts. */
const part = (index: 0 | 1 | 2, change: (part: string) => string): MessageChanges =>
  proof((jws) =>
    jws
      .split('.')
      .map((each, at) => (at === index ? change(each) : each))
      .join('.'),
  );
const bytes = (change: (signature: Buffer) => Uint8Array): MessageChanges =>
  part(2, (text) => base64url(change(Buffer.from(text, 'base64url'))));
/** Signs a header text as it is. */
const head = (text: string, encode: (text: string) => string = base64url): MessageChanges =>
  proof((_, canonicalText) => {
    const first = encode(text);
    const digest = createHash('sha256')
      .update(`${first}.${base64url(canonicalText)}`)
      .digest();
    const { r, s } = BRIDGE.key.sign(digest);
    return `${first}..${base64url(Buffer.from(r.slice(2) + s.slice(2), 'hex'))}`;
  });
const data = (change: Json): MessageChanges => ({
  forge: (event) => ({ ...event, data: { ...(event['data'] as Json), ...change } }),
});
const event = (change: Json): MessageChanges => ({ forge: (before) => ({ ...before, ...change }) });
const over = (change: (canonical: string) => string): MessageChanges =>
  proof((_, text) => detachedJws(change(text), BRIDGE));

function highS(signature: Buffer): Buffer {
  const s = ORDER - BigInt(`0x${signature.subarray(32).toString('hex')}`);
  return Buffer.from(signature.subarray(0, 32).toString('hex') + s.toString(16).padStart(64, '0'), 'hex');
}

function withFlippedBit(signature: Buffer, at: number): Buffer {
  signature[at] = (signature[at] ?? 0) ^ 1;
  return signature;
}

const HEADER = JSON.stringify({ alg: 'ES256K', kid: BRIDGE.did });

const PROOFS: readonly Refusal[] = [
  ['no proof', 'proof', proof(() => undefined)],
  ['a proof that is null', 'proof', proof(() => null)],
  ['a proof that is a list', 'proof', proof((jws) => [jws])],
  ['an empty proof', 'proof', proof(() => '')],
  ['a proof of two parts', 'proof', proof((jws) => jws.replace('..', '.'))],
  ['a proof of four parts', 'proof', proof((jws) => `${jws}.`)],
  ['a proof with its payload', 'proof', proof((jws, text) => jws.replace('..', `.${base64url(text)}.`))],
  ['a proof with a line feed at its end', 'proof', proof((jws) => `${jws}\n`)],
  ['a header that is not JSON', 'header of the proof', head('ES256K')],
  ['a header that is a list', 'header of the proof', head(`[${HEADER}]`)],
  [
    'a header with padding',
    'header of the proof',
    head(`${HEADER}  `, (text) => `${base64url(text)}${'='.repeat(2)}`),
  ],
  ['a header without kid', 'header of the proof', { header: { kid: undefined } }],
  ['a kid that is a list', 'header of the proof', { header: { kid: [BRIDGE.did] } }],
  ['alg none', 'header of the proof', { header: { alg: 'none' } }],
  [
    'alg none without a signature',
    'proof',
    proof(() => `${base64url(JSON.stringify({ alg: 'none', kid: BRIDGE.did }))}..`),
  ],
  ['alg ES256', 'header of the proof', { header: { alg: 'ES256' } }],
  ['alg HS256', 'header of the proof', { header: { alg: 'HS256' } }],
  ['alg in lower case', 'header of the proof', { header: { alg: 'es256k' } }],
  ['no alg', 'header of the proof', { header: { alg: undefined } }],
  ['a critical extension', 'header of the proof', { header: { crit: ['exp'], exp: 1 } }],
  ['an empty list of critical extensions', 'header of the proof', { header: { crit: [] } }],
  ['b64 false, as of RFC 7797', 'header of the proof', { header: { crit: ['b64'], b64: false } }],
  ['a signature of 63 bytes', 'signature of the proof', bytes((signature) => signature.subarray(1))],
  [
    'a signature of 65 bytes, with v',
    'signature of the proof',
    bytes((signature) => Buffer.concat([signature, Buffer.of(27)])),
  ],
  ['an empty signature of the proof', 'signature of the proof', part(2, () => '')],
  [
    'a signature in hexadecimal',
    'signature of the proof',
    part(2, (text) => Buffer.from(text, 'base64url').toString('hex')),
  ],
  ['a signature with padding', 'signature of the proof', part(2, (text) => `${text}==`)],
  [
    'a flipped bit in r of the proof',
    'signature of the proof',
    bytes((signature) => withFlippedBit(signature, 0)),
  ],
  [
    'a flipped bit in s of the proof',
    'signature of the proof',
    bytes((signature) => withFlippedBit(signature, 63)),
  ],
  ['a high s in the proof', 'signature of the proof', bytes(highS)],
  ['r 0 in the proof', 'signature of the proof', bytes((signature) => signature.fill(0, 0, 32))],
  ['s 0 in the proof', 'signature of the proof', bytes((signature) => signature.fill(0, 32))],
  [
    'a proof by another key',
    'signature of the proof',
    proof((_, text) => detachedJws(text, UNKNOWN_BRIDGE, { kid: BRIDGE.did })),
  ],
  [
    'a proof by the gateway',
    'signature of the proof',
    proof((_, text) => detachedJws(text, GATEWAY, { kid: BRIDGE.did })),
  ],
  ['the kid of another trusted bridge', 'header of the proof', { header: { kid: BETA_BRIDGE.did } }],
  [
    'a proof over the text of the payload, not its canonical form',
    'proof',
    proof((_, text) => detachedJws(JSON.stringify(reversed(JSON.parse(text) as Json)), BRIDGE)),
  ],
  [
    'a proof over the event with an empty proof',
    'proof',
    over((text) => canonical({ ...(JSON.parse(text) as Json), proof: '' })),
  ],
  ['a proof over the data alone', 'proof', over((text) => canonical((JSON.parse(text) as Json)['data']))],
  ['a figure changed after the proof', 'payload', data({ tradingMargin: '60000.5' })],
  ['a figure with a zero more', 'payload', data({ tradingMargin: '-60000.50' })],
  ['a number changed to a text after the proof', 'payload', data({ transition: '0' })],
  ['a member added after the proof', 'payload', event({ note: 'all is well' })],
  ['a member with null added after the proof', 'payload', event({ backfilled: null })],
  ['a member of the data removed after the proof', 'payload', data({ cause: undefined })],
  ['a member renamed after the proof', 'payload', event({ topic: undefined, Topic: MARGIN.topic })],
  ['local: true added after the proof', 'payload', event({ local: true })],
  ['another time of signing', 'payload', event({ signedat: '2026-03-02T02:15:31.051Z' })],
  ['another channel after the proof', 'payload', event({ channel: 'other' })],
  ['another id after the proof', 'payload', event({ id: STATEMENT.id })],
];

function reversed(value: Json): Json {
  return Object.fromEntries(Object.entries(value).toReversed());
}

const PROOFS_WITH_UNICODE: readonly Refusal[] = [
  ['another dash in a text after the proof', 'payload', { text: (text) => text.replace('–', '-') }],
  ['variables in another order', 'payload', { forge: (before) => withReversedVariables(before) }],
  ['a proof over the canonical form with escapes', 'proof', over((text) => text.replaceAll('–', '\\u2013'))],
];

function withReversedVariables(before: Json): Json {
  const { variables, ...rest } = before['data'] as Json;
  return { ...before, data: { ...rest, variables: (variables as unknown[]).toReversed() } };
}

const ofBridge = (origin: Party): MessageChanges => ({ origin });

const ORIGINS: readonly Refusal[] = [
  ['an unknown bridge', 'bridge', ofBridge(UNKNOWN_BRIDGE)],
  ['a bridge that is trusted on another channel only', 'bridge', ofBridge(OTHER_BRIDGE)],
  ['a bridge that was retired', 'bridge', ofBridge(RETIRED_BRIDGE)],
  ['a bridge that was revoked', 'bridge', ofBridge(REVOKED_BRIDGE)],
  ['the gateway in place of the bridge', 'bridge', ofBridge(GATEWAY)],
  [
    'a kid with another method',
    'header of the proof',
    { header: { kid: BRIDGE.did.replace('ethr', 'web') } },
  ],
  ['an empty kid', 'header of the proof', { header: { kid: '' } }],
  ['a kid that is an address', 'header of the proof', { header: { kid: BRIDGE.address } }],
  ['a kid with a fragment', 'header of the proof', { header: { kid: `${BRIDGE.did}#key-1` } }],
];

export function invalidProofs(): Vector[] {
  return [
    ...refused('origin-proof', MARGIN, PROOFS),
    ...refused('origin-proof', STATEMENT, PROOFS_WITH_UNICODE),
    ...refused('origin-not-allowed', MARGIN, ORIGINS),
  ];
}
