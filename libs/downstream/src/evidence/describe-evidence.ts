import type { SignedEvent } from '@ssb/events';
import type { SignedEvidence } from './evidence.js';
import type { ClaimedTime, EvidenceFindings, EvidenceKey } from './evidence-result.js';

/** The times of the evidence, none of which a signature proves. */
export function listTimes({ message, archived }: SignedEvidence, event: SignedEvent): ClaimedTime[] {
  const stored = new Date(Number(BigInt(message.timestampNanos) / 1_000_000n)).toISOString();
  return [
    { what: 'fact', at: event.time, claimedBy: 'bridge' },
    { what: 'detected', at: event.detectedat, claimedBy: 'bridge' },
    { what: 'signed', at: event.signedat, claimedBy: 'bridge' },
    { what: 'stored', at: stored, claimedBy: 'bus' },
    { what: 'archived', at: archived.at, claimedBy: 'subscriber' },
  ];
}

export function findTime(times: readonly ClaimedTime[], what: ClaimedTime['what']): string {
  return times.find((each) => each.what === what)?.at ?? '';
}

interface Signers {
  readonly gateway: EvidenceKey;
  readonly origin: EvidenceKey;
}

/** Sentences for people: what the signatures prove, what they do not prove, and what follows from keys of the past. */
export function describeFindings(
  { gateway, origin }: Signers,
  channel: string,
): Pick<EvidenceFindings, 'proved' | 'notProved' | 'notes'> {
  return {
    proved: [
      `The holder of the key of ${origin.did} signed the event: every member, its data, channel and topic.`,
      `The holder of the key of ${gateway.did} signed the payload of the message, byte for byte.`,
      'Id, subject and source belong to the participant and the data of the event, and it has the form of its type.',
      ...(isTrusted(gateway) && isTrusted(origin)
        ? [`The trust file names both keys on ${channel} for the time at which the event was archived.`]
        : []),
    ],
    notProved: [
      'When it was signed: bridge, bus and subscriber claim the times.',
      'That the fact is true: the bridge says what it read at the operator.',
      'Id and time of the message on the bus, marks, problems, deliveries, attempts and the trusted senders in the file: records of the subscriber, which nobody signed.',
    ],
    notes: [...note('gateway', gateway), ...note('bridge', origin)],
  };
}

const isTrusted = ({ state }: EvidenceKey): boolean =>
  state === 'trusted' || state === 'retired' || state === 'revoked';

function note(signer: string, { did, state, since = '' }: EvidenceKey): string[] {
  if (state === 'retired')
    return [
      `The key of the ${signer} ${did} was retired at ${since}. Who has kept it can still sign, with times before that. Compare with another record when that matters.`,
    ];
  if (state === 'revoked')
    return [
      `The key of the ${signer} ${did} is revoked: it may be in other hands since ${since}. The times of the evidence are before that, but they are only claimed. Compare with a record from before ${since}.`,
    ];
  return [];
}
