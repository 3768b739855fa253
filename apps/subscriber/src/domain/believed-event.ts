import { validateEvent, verifyProof, type ProofVerdict, type SealedEvent } from '@ssb/events';
import { readEvent } from './parse-payload.js';
import { rejected, type Rejection } from './rejection.js';

export type Believed =
  | { readonly ok: true; readonly event: SealedEvent; readonly signer: string }
  | Rejection;

/** Origin proof → schema, on the text of a payload. */
export function believedEvent(payload: string, origins: readonly string[]): Believed {
  const read = readEvent(payload);
  if (!read.ok) return rejected('not-an-event', read.detail);
  const proof = verifyProof(read.event, origins);
  if (!proof.ok) return refusedProof(proof.reason);
  const schema = validateEvent(read.event);
  if (!schema.ok) {
    if (schema.reason === 'unknown-type') return rejected('unknown-type', 'the catalogue has no such type');
    return rejected('schema', schema.problems.slice(0, PROBLEMS_TOLD).join('; '));
  }
  const { event } = schema;
  if (`${event.subject}${event.participant}`.includes('\u0000')) {
    return rejected(
      'schema',
      'subject or participant holds a NUL character, by which no archive can file it',
    );
  }
  return { ok: true, event, signer: proof.origin };
}

const PROBLEMS_TOLD = 5;

function refusedProof(reason: Extract<ProofVerdict, { ok: false }>['reason']): Rejection {
  switch (reason) {
    case 'origin-not-allowed':
      return rejected('origin-not-allowed', 'the operator does not trust this bridge on this channel');
    case 'missing':
      return rejected('origin-proof', 'the event carries no proof');
    case 'malformed':
      return rejected('origin-proof', 'the proof is no detached JWS of this event');
    case 'signature':
      return rejected('origin-proof', 'the proof is not by the bridge that it names, or not for this event');
    default:
      return reason satisfies never;
  }
}
