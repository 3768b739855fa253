import { invalidEvents } from './invalid-events.js';
import { invalidMessages } from './invalid-messages.js';
import { invalidPayloads } from './invalid-payloads.js';
import { invalidProofs } from './invalid-proofs.js';
import { keccakVectors } from './keccak.js';
import { orderVectors } from './orders.js';
import { trustFile } from './parties.js';
import { validVectors } from './valid.js';
import { webhookVectors } from './webhooks.js';

/** `libs/events/vectors`. */
export const VECTOR_FOLDER = new URL('../../../vectors/', import.meta.url);
/** In the same folder: `libs/downstream` generates it. */
export const EVIDENCE_FILE = 'evidence.json';

/** The published vectors: the name of each file and its content. */
export function vectorFiles(): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ['trust.json', trustFile('eip191')],
    ['valid.json', validVectors()],
    [
      'invalid.json',
      [...invalidMessages(), ...invalidPayloads(), ...invalidProofs(), ...invalidEvents(), ...orderVectors()],
    ],
    ['keccak256-trust.json', trustFile('keccak256')],
    ['keccak256.json', keccakVectors()],
    ['webhooks.json', webhookVectors()],
  ]);
}
