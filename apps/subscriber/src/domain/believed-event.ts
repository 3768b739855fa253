import { isEventType, validateEvent, verifyProof, type SealedEvent } from '@ssb/events';
import { readEvent } from './read-event.js';
import { rejected, type Rejection } from './rejection.js';

export type Believed =
  { readonly ok: true; readonly event: SealedEvent; readonly signer: string } | Rejection;

/** Origin proof → schema, on the text of a payload. */
export function believedEvent(payload: string, origins: readonly string[]): Believed {
  const read = readEvent(payload);
  if (!read.ok) return rejected('not-an-event', read.detail);
  const proof = verifyProof(read.event, origins);
  if (!proof.ok) return rejected('origin-proof', proof.reason);
  const { type } = read.event;
  if (!isEventType(type)) return rejected('unknown-type', 'the catalogue has no such type');
  const schema = validateEvent(type, read.event);
  if (!schema.ok) return rejected('schema', schema.errors.join('; '));
  return { ok: true, event: schema.event, signer: proof.signer };
}
