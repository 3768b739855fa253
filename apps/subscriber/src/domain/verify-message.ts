import type { Message } from '@ssb/bus';
import type { SealedEvent } from '@ssb/events';
import { endsInAddress, recoverSigner, sameIdentity, type SignatureScheme } from '@ssb/identity';
import type { FreshnessTerms } from './freshness.js';
import { believedEvent } from './believed-event.js';
import { rejected, type Rejection } from './rejection.js';
import { placeAndTime } from './place-and-time.js';

export interface VerdictTerms {
  /** What senders' gateways sign. */
  readonly scheme: SignatureScheme;
  /** Whom the operator trusts on the message's channel: DIDs of posting gateways, DIDs of bridges that state facts. */
  readonly trusted: { readonly gateways: readonly string[]; readonly origins: readonly string[] };
  readonly freshness: FreshnessTerms;
}

/** `signer` is the DID of the bridge that proved the event. */
export type Verdict = { readonly ok: true; readonly event: SealedEvent; readonly signer: string } | Rejection;

/**
 * Whether a message is believed. No message is believed without proof: the checks run in the order of the architecture's second
 * promise, and the first that fails is the reason. Whether its event was seen before is not decided here, but by the inbox.
 */
export function verdictOn(message: Message, terms: VerdictTerms): Verdict {
  const refusal = refuseSender(message, terms);
  if (refusal !== undefined) return refusal;
  const believed = believedEvent(message.payload, terms.trusted.origins);
  if (!believed.ok) return believed;
  return placeAndTime(message, believed.event, terms.freshness) ?? believed;
}

/** Signature format → signer recovered = sender's DID → sender allowed on this channel. */
function refuseSender(
  { payload, signature, sender }: Message,
  { scheme, trusted }: VerdictTerms,
): Rejection | undefined {
  const recovery = recoverSigner(payload, signature, scheme);
  if (!recovery.ok) return rejected('signature-format', `the signature is ${recovery.reason}`);
  if (!endsInAddress(sender, recovery.address))
    return rejected('signer-mismatch', `the payload was signed by ${recovery.address}`);
  if (!trusted.gateways.some((gateway) => sameIdentity(gateway, sender))) {
    return rejected('sender-not-allowed', 'the operator does not trust this gateway on this channel');
  }
  return undefined;
}
