import type { MessageChanges } from './make-message.js';
import { BETA_BRIDGE, SETTLEMENT, UNKNOWN_BRIDGE, UNKNOWN_GATEWAY } from './parties.js';
import { margin, MARGIN } from './valid.js';
import { refused, type Vector } from './vector.js';

/** Two defects each: the first check that fails gives the reason. */
const ORDERS: readonly (readonly [first: string, second: string, MessageChanges, base?: object])[] = [
  ['signature-format', 'signer-mismatch', { signature: () => '0x', message: { sender: 'x' } }],
  ['signer-mismatch', 'sender-not-allowed', { gateway: UNKNOWN_GATEWAY, message: { sender: 'x' } }],
  ['sender-not-allowed', 'not-an-event', { gateway: UNKNOWN_GATEWAY, text: (text) => text.slice(1) }],
  ['not-an-event', 'origin-proof', { proof: () => 'x', text: (text) => text.replace('{', '{"proof":"x",') }],
  [
    'origin-not-allowed',
    'origin-proof',
    { origin: UNKNOWN_BRIDGE, forge: (event) => ({ ...event, note: 1 }) },
  ],
  ['origin-proof', 'unknown-type', { forge: (event) => ({ ...event, type: 'unknown' }) }],
  ['origin-proof', 'schema', { forge: (event) => ({ ...event, note: 1 }) }],
  ['unknown-type', 'schema', { event: { type: 'unknown', note: 1 } }],
  ['schema', 'participant-not-allowed', { event: { note: 1 } }, margin('BETA')],
  ['participant-not-allowed', 'channel-mismatch', { message: { fqcn: SETTLEMENT } }, margin('BETA')],
  ['participant-not-allowed', 'topic-mismatch', { origin: BETA_BRIDGE, message: { topic: 'x' } }],
  ['channel-mismatch', 'topic-mismatch', { message: { fqcn: SETTLEMENT, topic: 'x' } }],
];

export function orderVectors(): Vector[] {
  return ORDERS.flatMap(([first, second, changes, base = MARGIN]) =>
    refused(first, base, [[`${first} before ${second}`, 'two parts', changes]]),
  );
}
