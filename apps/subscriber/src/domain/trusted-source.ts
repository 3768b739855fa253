import type { Message } from '@ssb/bus';
import { ALL_PARTICIPANTS, verifyProof } from '@ssb/events';
import { didHasAddress, isSameIdentity, type Address } from '@ssb/identity';
import type { TrustedSenders } from '@ssb/operator-config';
import { parsePayload } from './parse-payload.js';

/** Who stands behind a rejected message, when its signature or its proof shows that the operator trusts them on any channel. */
export interface TrustedSource {
  /** DID of the trusted gateway that posted the message, otherwise of the trusted bridge. Never a DID that the poster can choose. */
  readonly sender: string;
  /** The event's participant when a trusted bridge signed it, otherwise `ALL_PARTICIPANTS`. */
  readonly participant: string;
}

/**
 * Finds the trusted source of a rejected message: its gateway's signature or its proof of origin is valid and trusted on some channel.
 * @param signer the address that signed the payload; undefined when the signature has none
 * @param trusted senders of all channels
 */
export function findTrustedSource(
  { payload, sender }: Pick<Message, 'payload' | 'sender'>,
  signer: Address | undefined,
  trusted: TrustedSenders,
): TrustedSource | undefined {
  const trustedGateway = trusted.gateways.find((did) => isSameIdentity(did, sender));
  const parsed = parsePayload(payload);
  if (parsed.ok) {
    const proof = verifyProof(parsed.event, trusted.origins);
    if (proof.ok)
      return { sender: trustedGateway ?? proof.origin, participant: readParticipant(parsed.event) };
  }
  if (signer === undefined || trustedGateway === undefined || !didHasAddress(sender, signer))
    return undefined;
  return { sender: trustedGateway, participant: ALL_PARTICIPANTS };
}

/** The schema may not be checked yet, so an unusual text is left out. */
function readParticipant({ participant }: Readonly<Record<string, unknown>>): string {
  const isPlain = typeof participant === 'string' && /^[\x21-\x7e]{1,60}$/.test(participant);
  return isPlain ? participant : ALL_PARTICIPANTS;
}
