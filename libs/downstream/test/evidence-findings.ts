import type { ClaimedTime } from '../src/verify.js';
import { GATEWAY_DID, ORIGIN_DID, type OpenSignedEvidence } from './evidence-files.js';

/** What a verifier says about undamaged evidence. The sentences are the same in every kit. */
export interface ExpectedFindings {
  readonly type: string;
  readonly participant: string;
  readonly times: readonly ClaimedTime[];
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The findings about signed evidence.
 * @param isTrusted whether the trust file names both keys
 * @param stored when the bus stored the message
 */
export function expectedFindings(
  { event, message, archived }: OpenSignedEvidence,
  stored: string,
  isTrusted: boolean,
  notes: readonly string[] = [],
): ExpectedFindings {
  const [fact, detected, signed] = [event['time'], event['detectedat'], event['signedat']].map(String);
  return {
    type: String(event['type']),
    participant: String(event['participant']),
    times: [
      { what: 'fact', at: `${fact}`, claimedBy: 'bridge' },
      { what: 'detected', at: `${detected}`, claimedBy: 'bridge' },
      { what: 'signed', at: `${signed}`, claimedBy: 'bridge' },
      { what: 'stored', at: stored, claimedBy: 'bus' },
      { what: 'archived', at: archived.at, claimedBy: 'subscriber' },
    ],
    proved: [
      `The holder of the key of ${ORIGIN_DID} signed the event: every member, its data, channel and topic.`,
      `The holder of the key of ${GATEWAY_DID} signed the payload of the message, byte for byte.`,
      'Id, subject and source belong to the participant and the data of the event, and it has the form of its type.',
      ...(isTrusted
        ? [`The trust file names both keys on ${message.fqcn} for the time at which the event was archived.`]
        : []),
    ],
    notProved: [
      'When it was signed: bridge, bus and subscriber claim the times.',
      'That the fact is true: the bridge says what it read at the operator.',
      'Id and time of the message on the bus, marks, problems, deliveries, attempts and the trusted senders in the file: records of the subscriber, which nobody signed.',
    ],
    notes,
  };
}

/** The findings about a fault that the subscriber wrote itself. */
export function unsignedFindings({
  event,
  archived,
}: Pick<OpenSignedEvidence, 'event' | 'archived'>): ExpectedFindings {
  return {
    type: String(event['type']),
    participant: String(event['participant']),
    times: [{ what: 'archived', at: archived.at, claimedBy: 'subscriber' }],
    proved: [],
    notProved: [
      'Everything in the file: it is a record of the subscriber, which nobody signed.',
      'That the file has not changed since it was exported: who changes it can change its digest too.',
    ],
    notes: [],
  };
}

/** The notes about the keys of gateway and bridge that were both retired later. */
export function retiredNotes(at: string): string[] {
  const note = (signer: string): string =>
    `The key of the ${signer} was retired at ${at}. Who has kept it can still sign, with times before that. Compare with another record when that matters.`;
  return [note(`gateway ${GATEWAY_DID}`), note(`bridge ${ORIGIN_DID}`)];
}

/** The note about the key of a bridge that was revoked later. */
export function revokedNote(since: string): string {
  return `The key of the bridge ${ORIGIN_DID} is revoked: it may be in other hands since ${since}. The times of the evidence are before that, but they are only claimed. Compare with a record from before ${since}.`;
}
