import {
  didHasAddress,
  isSameIdentity,
  recoverSigner,
  type Curve,
  type SignatureScheme,
  type SignerRecovery,
} from '@ssb/identity';
import { parsePayload } from './parse-payload.js';
import { reject, type Rejection } from './rejection.js';
import type { Trust } from './trust.js';
import {
  checkChannel,
  checkEvent,
  nameOfChannel,
  type EventCheckOptions,
  type Verdict,
} from './verify-event.js';

/** What is verified of a message of the bus. */
export interface ReceivedMessage {
  /** Channel on which it was received. */
  readonly fqcn: string;
  /** Topic under which it was received. Default `default`. */
  readonly topic?: string | undefined;
  /** The event as text, byte for byte. */
  readonly payload: string;
  /** The gateway's signature over the payload. */
  readonly signature: string;
  /** DID of the gateway that posted the message. */
  readonly sender: string;
}

export interface MessageVerificationOptions {
  readonly trust: Trust;
  /** Replaces the default implementation of secp256k1. */
  readonly curve?: Curve;
}

/** Verifies a message: its sender, its event, what its bridge may announce, then its channel. */
export function verifyMessage(
  message: ReceivedMessage,
  { trust, curve }: MessageVerificationOptions,
): Verdict {
  const recovery = recoverSigner(
    message.payload,
    message.signature,
    trust.signatureScheme,
    curve && { curve },
  );
  return checkMessage(message, recovery, {
    scheme: trust.signatureScheme,
    channel: nameOfChannel(message.fqcn, trust),
    trusted: trust.sendersOf(message.fqcn),
    curve,
    isFormerAlertEnd: (event) => trust.endsFormerAlert(event),
  });
}

export interface MessageCheckOptions extends EventCheckOptions {
  /** With which the signer was recovered. */
  readonly scheme: SignatureScheme;
}

/**
 * Verifies a message whose signer is already recovered. Its transaction id proves nothing: repeats are recognised by the event's id.
 * @param recovery the result of `recoverSigner` for this payload and signature
 */
export function checkMessage(
  message: ReceivedMessage,
  recovery: SignerRecovery,
  options: MessageCheckOptions,
): Verdict {
  const untrusted = checkSender(message, recovery, options);
  if (untrusted !== undefined) return untrusted;
  const parsed = parsePayload(message.payload);
  if (!parsed.ok) return reject('not-an-event', parsed.detail);
  const verdict = checkEvent(parsed.event, options);
  if (!verdict.ok) return verdict;
  return checkChannel(verdict.event, message.fqcn) ?? checkTopic(verdict.event.topic, message) ?? verdict;
}

const SIGNATURE_PROBLEMS: Readonly<Record<Extract<SignerRecovery, { ok: false }>['reason'], string>> = {
  'malformed-signature': 'the signature does not have the form of 65 bytes',
  unrecoverable: 'no public key can be recovered from the signature',
};

/** Checks the signature's format, that the sender's gateway made it, and that the gateway is trusted on this channel. */
function checkSender(
  { sender }: ReceivedMessage,
  recovery: SignerRecovery,
  { scheme, channel, trusted }: MessageCheckOptions,
): Rejection | undefined {
  if (!recovery.ok) return reject('signature-format', SIGNATURE_PROBLEMS[recovery.reason]);
  const { address } = recovery;
  if (!didHasAddress(sender, address))
    return reject('signer-mismatch', `the payload was signed by ${address} (signature scheme: ${scheme})`);
  if (!trusted.gateways.some((gateway) => isSameIdentity(gateway, sender)))
    return reject('sender-not-allowed', `the gateway ${sender} is not trusted on ${channel}`);
  return undefined;
}

/** Topic of a message whose sender names none (the broker's HTTP contract). */
const DEFAULT_TOPIC = 'default';

function checkTopic(signedFor: string, { topic = DEFAULT_TOPIC }: ReceivedMessage): Rejection | undefined {
  return signedFor === topic
    ? undefined
    : reject('topic-mismatch', `the event was signed for topic ${signedFor}`);
}
