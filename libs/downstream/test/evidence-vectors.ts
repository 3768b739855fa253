import { EVENT_TYPES } from '@ssb/events';
import { sealEvidence, writeEvidence, type OpenEvidence } from '../src/evidence/evidence-text.js';
import type { SignedEvidence } from '../src/evidence/evidence.js';
import type { TrustFile } from '../src/verify/trust.js';
import { evidenceTrusts, shifted } from './evidence-trusts.js';
import {
  createEvidence,
  createUnsignedEvidence,
  GATEWAY_DID,
  ORIGIN_DID,
  readExample,
  type EvidenceVector,
} from './evidence-files.js';

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
  const infinite = sealEvidence(
    writeEvidence({ ...margin, event: { ...margin.event, time: 1 } })
      .replace('"time": 1,', '"time": 1e400,')
      .replace(/ {2}"digest": "[0-9a-f]+"\n\}\n$/, ''),
  );
  const trusts = evidenceTrusts(at, former.archived.at, String(cleared['participant']));
  const verified = { ok: true, status: 'verified', gateway: 'trusted', origin: 'trusted' } as const;
  const consistent = (reason: string, gateway: string, origin: string) =>
    ({ ok: false, status: 'consistent', reason, gateway, origin }) as const;
  const invalid = (reason: string) => ({ ok: false, status: 'invalid', reason }) as const;
  const text = writeEvidence(margin);
  const of = (
    name: string,
    content: OpenEvidence | string,
    trust: string | null,
    result: EvidenceVector['result'],
  ): EvidenceVector => ({
    name,
    text: typeof content === 'string' ? content : writeEvidence(content),
    trust,
    result,
  });
  const message = (change: Partial<SignedEvidence['message']>): OpenEvidence => ({
    ...margin,
    message: { ...margin.message, ...change },
  });
  return {
    trusts,
    vectors: [
      ...EVENT_TYPES.map((type) => of(type, createEvidence(readExample(type)), 'all', verified)),
      of('no trust file', text, null, consistent('signer-not-verified', 'not-checked', 'not-checked')),
      of('keys that were retired later', text, 'retired', {
        ...verified,
        gateway: 'retired',
        origin: 'retired',
      }),
      of('a key that was revoked later', text, 'revoked', { ...verified, origin: 'revoked' }),
      of(
        'a key that was revoked before',
        text,
        'revoked-before',
        consistent('revoked', 'not-trusted', 'trusted'),
      ),
      of(
        'a key that was retired before',
        text,
        'retired-before',
        consistent('not-trusted-then', 'trusted', 'not-trusted'),
      ),
      of(
        'a key that was retired before it signed, with an earlier time of archiving',
        { ...margin, archived: { ...margin.archived, at: shifted(at, -7_200_000) } },
        'retired-before',
        consistent('not-trusted-then', 'trusted', 'not-trusted'),
      ),
      of(
        'a key that was retired before the bus stored the message, with earlier other times',
        createEvidence(readExample(MARGIN), { storedAt: shifted(at, 7_200_000) }),
        'retired',
        consistent('not-trusted-then', 'not-trusted', 'not-trusted'),
      ),
      of('the end of an alert about a former participant', former, 'former', verified),
      of(
        'the end of an alert about a participant of another bridge at that time',
        former,
        'another-bridge',
        consistent('participant-not-allowed', 'trusted', 'trusted'),
      ),
      of(
        'a gateway that signs with another scheme',
        createEvidence(readExample(MARGIN), { signatureScheme: 'keccak256' }),
        'all',
        consistent('scheme-not-trusted', 'trusted', 'trusted'),
      ),
      of(
        'a key that was trusted later',
        text,
        'trusted-later',
        consistent('not-trusted-then', 'not-trusted', 'trusted'),
      ),
      of(
        'a gateway that is not trusted',
        text,
        'other-gateway',
        consistent('sender-not-allowed', 'not-trusted', 'trusted'),
      ),
      of(
        'a bridge that is not trusted',
        text,
        'other-origin',
        consistent('origin-not-allowed', 'trusted', 'not-trusted'),
      ),
      of(
        'a participant that is not trusted',
        text,
        'other-participant',
        consistent('participant-not-allowed', 'trusted', 'trusted'),
      ),
      of('a fault that the subscriber wrote', createUnsignedEvidence(), 'all', {
        ok: false,
        status: 'consistent',
        reason: 'unsigned',
      }),
      of(
        'a changed byte',
        text.replace('"sink": "treasury"', '"sink": "treasurx"'),
        'all',
        invalid('damaged'),
      ),
      of('a changed space', text.replace('\n  "eventId"', '\n\t "eventId"'), 'all', invalid('damaged')),
      of(
        'an upper-case digest',
        text.replace(/"digest": "([0-9a-f]+)"\n\}\n$/, (all) =>
          all.toUpperCase().replace('DIGEST', 'digest'),
        ),
        'all',
        invalid('damaged'),
      ),
      of('no digest', JSON.stringify(margin), 'all', invalid('damaged')),
      of('an unknown member', { ...margin, note: 'x' } as OpenEvidence, 'all', invalid('not-evidence')),
      of(
        'another version',
        { ...margin, version: 2 } as unknown as OpenEvidence,
        'all',
        invalid('not-evidence'),
      ),
      of(
        'a time that is not valid',
        { ...margin, archived: { at: '2026-13-41T00:00:00Z', marks: [] } },
        'all',
        invalid('not-evidence'),
      ),
      of(
        'another event',
        { ...margin, event: { ...margin.event, time: '2026-03-02T15:00:00+08:00' } },
        'all',
        invalid('event-mismatch'),
      ),
      of(
        'an event with a lone surrogate',
        { ...margin, event: { ...margin.event, time: '\ud800' } },
        'all',
        invalid('event-mismatch'),
      ),
      of(
        'a payload with a lone surrogate',
        message({ payload: margin.message.payload.replace('"time":"', '"time":"\\ud800') }),
        'all',
        invalid('event-mismatch'),
      ),
      of('an event with an infinite number', infinite, 'all', invalid('event-mismatch')),
      of(
        'another id',
        { ...margin, eventId: '5f1a2b3c-0000-4000-8000-000000000001' },
        'all',
        invalid('event-mismatch'),
      ),
      of(
        'another key of the gateway',
        { ...margin, gateway: { ...margin.gateway, publicKey: margin.origin.publicKey } },
        'all',
        invalid('key-mismatch'),
      ),
      of(
        'another key of the bridge',
        { ...margin, origin: { ...margin.origin, publicKey: margin.gateway.publicKey } },
        'all',
        invalid('key-mismatch'),
      ),
      of(
        'another gateway',
        { ...margin, gateway: { ...margin.gateway, did: ORIGIN_DID } },
        'all',
        invalid('key-mismatch'),
      ),
      of(
        'another bridge',
        { ...margin, origin: { ...margin.origin, did: GATEWAY_DID } },
        'all',
        invalid('origin-not-allowed'),
      ),
      of('another sender', message({ sender: ORIGIN_DID }), 'all', invalid('signer-mismatch')),
      of(
        'a changed payload',
        message({ payload: `${margin.message.payload} ` }),
        'all',
        invalid('signer-mismatch'),
      ),
      of(
        'another channel',
        message({ fqcn: margin.message.fqcn.replace(/^[a-z]+/, 'other') }),
        'all',
        invalid('channel-mismatch'),
      ),
      of('another topic', message({ topic: 'margin.warning.v1' }), 'all', invalid('topic-mismatch')),
      of(
        'another signature scheme',
        { ...margin, signatureScheme: 'keccak256' },
        'all',
        invalid('signer-mismatch'),
      ),
      of(
        'a signature that recovers no key',
        message({ signature: `0x${'00'.repeat(65)}` }),
        'all',
        invalid('signature-format'),
      ),
      of(
        'a proof of another event',
        {
          ...createEvidence({
            ...margin.event,
            proof: readExample('settlementbus.margin.warning.v1')['proof'],
          }),
          origin: margin.origin,
        },
        'all',
        invalid('origin-proof'),
      ),
    ],
  };
}
