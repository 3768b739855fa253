import { BRIDGE } from './parties.js';
import { makeMessage, type MessageChanges, type VectorMessage } from './make-message.js';

/** A message and what a verifier says about it. */
export interface Vector {
  readonly name: string;
  /** The part of the message that is wrong. */
  readonly breaks?: string;
  readonly message: VectorMessage;
  readonly verdict: VectorVerdict;
}

export type VectorVerdict =
  | { readonly ok: true; readonly id: string; readonly origin: string }
  | { readonly ok: false; readonly reason: string };

/** @param base an event of the catalogue */
export function accepted(name: string, base: object, changes: MessageChanges = {}): Vector {
  const message = makeMessage(name, base, changes);
  const { id } = JSON.parse(message.payload) as { readonly id: string };
  // As the trust file writes it.
  const origin = (changes.origin ?? BRIDGE) === BRIDGE ? BRIDGE.did.toLowerCase() : changes.origin!.did;
  return { name, message, verdict: { ok: true, id, origin } };
}

export type Refusal = readonly [name: string, breaks: string, changes: MessageChanges];

/** @param base the event of each message before it is changed */
export function refused(reason: string, base: object, refusals: readonly Refusal[]): Vector[] {
  return refusals.map(([name, breaks, changes]) => ({
    name,
    breaks,
    message: makeMessage(name, base, changes),
    verdict: { ok: false, reason },
  }));
}
