import { EVENT_TYPES } from '@ssb/events';
import { writeEvidence } from '../src/evidence/evidence-text.js';
import type { TrustFile } from '../src/verify/trust.js';
import { evidenceVector as of, type EvidenceVector } from './evidence-vector.js';
import { invalidEvidence } from './invalid-evidence.js';
import { expectedFindings, retiredNotes, revokedNote, unsignedFindings } from './evidence-findings.js';
import { evidenceTrusts, shifted } from './evidence-trusts.js';
import { createEvidence, createUnsignedEvidence, readExample } from './evidence-files.js';

const MARGIN = 'settlementbus.margin.breached.v1';

/** `libs/events/vectors/evidence.json`: trust files by name, and evidence with the expected results. */
export function evidenceVectors(): {
  readonly trusts: Readonly<Record<string, TrustFile>>;
  readonly vectors: readonly EvidenceVector[];
} {
  const margin = createEvidence(readExample(MARGIN));
  const { at } = margin.archived;
  const cleared = readExample('settlementbus.bridge.alert.cleared.v1');
  const former = createEvidence(cleared);
  const trusts = evidenceTrusts(at, former.archived.at, String(cleared['participant']));
  const verified = { ok: true, status: 'verified', gateway: 'trusted', origin: 'trusted' } as const;
  const consistent = (reason: string, gateway: string, origin: string, detail: string) =>
    ({ ok: false, status: 'consistent', reason, gateway, origin, detail }) as const;
  const stored = shifted(String(margin.event['signedat']), 40);
  const later = shifted(at, 3_600_000);
  const notTrustedThen = (signer: string): string =>
    `The trust file did not trust the ${signer} when the event was archived.`;
  const notAllowed = (participant: unknown): string =>
    `The trust file does not trust the bridge for events of this type about ${String(participant)}.`;
  const text = writeEvidence(margin);
  const unsigned = createUnsignedEvidence();
  return {
    trusts,
    vectors: [
      ...EVENT_TYPES.map((type) =>
        of(type, createEvidence(readExample(type)), 'all', {
          ...verified,
          ...(type === MARGIN && expectedFindings(margin, stored, true)),
        }),
      ),
      of('no trust file', text, null, {
        ...consistent(
          'signer-not-verified',
          'not-checked',
          'not-checked',
          'Both signatures are valid. Without a trust file nobody says whose they are.',
        ),
        ...expectedFindings(margin, stored, false),
      }),
      of('keys that were retired later', text, 'retired', {
        ...verified,
        gateway: 'retired',
        origin: 'retired',
        ...expectedFindings(margin, stored, true, retiredNotes(later)),
      }),
      of('a key that was revoked later', text, 'revoked', {
        ...verified,
        origin: 'revoked',
        ...expectedFindings(margin, stored, true, [revokedNote(later)]),
      }),
      of('a key that was revoked before', text, 'revoked-before', {
        ...consistent(
          'revoked',
          'not-trusted',
          'trusted',
          'The key of the gateway may have been in other hands already.',
        ),
        ...expectedFindings(margin, stored, false),
      }),
      of(
        'a key that was retired before',
        text,
        'retired-before',
        consistent('not-trusted-then', 'trusted', 'not-trusted', notTrustedThen('bridge')),
      ),
      of(
        'a key that was retired before it signed, with an earlier time of archiving',
        { ...margin, archived: { ...margin.archived, at: shifted(at, -7_200_000) } },
        'retired-before',
        consistent('not-trusted-then', 'trusted', 'not-trusted', notTrustedThen('bridge')),
      ),
      of(
        'a key that was retired before the bus stored the message, with earlier other times',
        createEvidence(readExample(MARGIN), { storedAt: shifted(at, 7_200_000) }),
        'retired',
        consistent('not-trusted-then', 'not-trusted', 'not-trusted', notTrustedThen('gateway')),
      ),
      of('the end of an alert about a former participant', former, 'former', verified),
      of(
        'the end of an alert about a participant of another bridge at that time',
        former,
        'another-bridge',
        consistent('participant-not-allowed', 'trusted', 'trusted', notAllowed(cleared['participant'])),
      ),
      of(
        'a gateway that signs with another scheme',
        createEvidence(readExample(MARGIN), { signatureScheme: 'keccak256' }),
        'all',
        consistent(
          'scheme-not-trusted',
          'trusted',
          'trusted',
          'The gateway signed as keccak256. The trust file has the signature scheme eip191.',
        ),
      ),
      of(
        'a key that was trusted later',
        text,
        'trusted-later',
        consistent('not-trusted-then', 'not-trusted', 'trusted', notTrustedThen('gateway')),
      ),
      of(
        'a gateway that is not trusted',
        text,
        'other-gateway',
        consistent(
          'sender-not-allowed',
          'not-trusted',
          'trusted',
          'The trust file does not name the gateway on this channel.',
        ),
      ),
      of(
        'a bridge that is not trusted',
        text,
        'other-origin',
        consistent(
          'origin-not-allowed',
          'trusted',
          'not-trusted',
          'The trust file does not name the bridge on this channel.',
        ),
      ),
      of(
        'a participant that is not trusted',
        text,
        'other-participant',
        consistent('participant-not-allowed', 'trusted', 'trusted', notAllowed(margin.event['participant'])),
      ),
      of('a fault that the subscriber wrote', unsigned, 'all', {
        ok: false,
        status: 'consistent',
        reason: 'unsigned',
        detail: 'The subscriber wrote this fault about itself. Nobody signed it.',
        ...unsignedFindings(unsigned),
      }),
      ...invalidEvidence(margin),
    ],
  };
}
