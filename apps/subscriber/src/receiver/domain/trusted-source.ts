import type { Message } from '@ssb/bus';
import { ALL_PARTICIPANTS, mayAnnounce, verifyProof, type TrustedSenders } from '@ssb/events';
import { didHasAddress, isSameIdentity, type Address } from '@ssb/identity';
import { parsePayload } from 'settlement-bus-downstream/checks';

/** The gateway or bridge behind a rejected message, when its signature or proof shows that the operator trusts it on any channel. */
export interface TrustedSource {
  /** DID of the trusted gateway that posted the message, otherwise of the trusted bridge. Never a DID that the poster can choose. */
  readonly sender: string;
  /** The event's participant when a bridge that may announce facts about it signed the event, otherwise `ALL_PARTICIPANTS`. */
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
    const proof = verifyProof(
      parsed.event,
      trusted.origins.map(({ did }) => did),
    );
    if (proof.ok)
      return {
        sender: trustedGateway ?? proof.origin,
        participant: readParticipant(parsed.event, proof.origin, trusted),
      };
  }
  if (signer === undefined || trustedGateway === undefined || !didHasAddress(sender, signer))
    return undefined;
  return { sender: trustedGateway, participant: ALL_PARTICIPANTS };
}

/** A bridge cannot raise alerts about participants that the operator does not trust it for. */
function readParticipant(
  { type, participant }: Readonly<Record<string, unknown>>,
  origin: string,
  trusted: TrustedSenders,
): string {
  if (typeof type !== 'string' || typeof participant !== 'string') return ALL_PARTICIPANTS;
  return mayAnnounce(trusted, origin, { type, participant }) ? participant : ALL_PARTICIPANTS;
}
