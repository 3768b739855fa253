import { parsePrivateKey } from '@ssb/identity';
import { sealEvidence, writeEvidence, type OpenEvidence } from '../src/evidence/evidence-text.js';
import type { SignedEvidence } from '../src/evidence/evidence.js';
import {
  createEvidence,
  createUnsignedEvidence,
  GATEWAY_DID,
  ORIGIN_DID,
  readExample,
  signAgain,
  type OpenSignedEvidence,
} from './evidence-files.js';
import { evidenceVector, type EvidenceVector } from './evidence-vector.js';

/** Files that prove nothing. Each has one wrong part. */
export function invalidEvidence(margin: OpenSignedEvidence): EvidenceVector[] {
  const text = writeEvidence(margin);
  const infinite = sealEvidence(
    writeEvidence({ ...margin, event: { ...margin.event, time: 1 } })
      .replace('"time": 1,', '"time": 1e400,')
      .replace(/ {2}"digest": "[0-9a-f]+"\n\}\n$/, ''),
  );
  const of = (
    name: string,
    content: OpenEvidence | string,
    reason: string,
    detail?: string,
  ): EvidenceVector =>
    evidenceVector(name, content, 'all', {
      ok: false,
      status: 'invalid',
      reason,
      ...(detail !== undefined && { detail }),
    });
  const message = (change: Partial<SignedEvidence['message']>): OpenEvidence => ({
    ...margin,
    message: { ...margin.message, ...change },
  });
  return [
    of('a changed byte', text.replace('"sink": "treasury"', '"sink": "treasurx"'), 'damaged'),
    of('a changed space', text.replace('\n  "eventId"', '\n\t "eventId"'), 'damaged'),
    of(
      'an upper-case digest',
      text.replace(/"digest": "([0-9a-f]+)"\n\}\n$/, (all) => all.toUpperCase().replace('DIGEST', 'digest')),
      'damaged',
    ),
    of('no digest', JSON.stringify(margin), 'damaged'),
    of('an unknown member', { ...margin, note: 'x' } as OpenEvidence, 'not-evidence'),
    of('another version', { ...margin, version: 2 } as unknown as OpenEvidence, 'not-evidence'),
    ...['2026-13-41T00:00:00Z', '2026-02-30T00:00:00Z', '2026-03-02T24:00:00Z'].map((time) =>
      of(
        `the time ${time}, which is not valid`,
        { ...margin, archived: { at: time, marks: [] } },
        'not-evidence',
      ),
    ),
    of(
      'another event',
      { ...margin, event: { ...margin.event, time: '2026-03-02T15:00:00+08:00' } },
      'event-mismatch',
    ),
    of(
      'an event with a lone surrogate',
      { ...margin, event: { ...margin.event, time: '\ud800' } },
      'event-mismatch',
    ),
    of(
      'a payload with a lone surrogate',
      message({ payload: margin.message.payload.replace('"time":"', '"time":"\\ud800') }),
      'event-mismatch',
    ),
    of('an event with an infinite number', infinite, 'event-mismatch'),
    of('another id', { ...margin, eventId: '5f1a2b3c-0000-4000-8000-000000000001' }, 'event-mismatch'),
    of(
      'another key of the gateway',
      { ...margin, gateway: { ...margin.gateway, publicKey: margin.origin.publicKey } },
      'key-mismatch',
    ),
    of(
      'another key of the bridge',
      { ...margin, origin: { ...margin.origin, publicKey: margin.gateway.publicKey } },
      'key-mismatch',
    ),
    of('another gateway', { ...margin, gateway: { ...margin.gateway, did: ORIGIN_DID } }, 'key-mismatch'),
    of(
      'another bridge',
      { ...margin, origin: { ...margin.origin, did: GATEWAY_DID } },
      'origin-not-allowed',
      `The bridge ${ORIGIN_DID} is not trusted on its channel.`,
    ),
    of('another sender', message({ sender: ORIGIN_DID }), 'signer-mismatch'),
    of('a changed payload', message({ payload: `${margin.message.payload} ` }), 'signer-mismatch'),
    of(
      'another channel',
      message({ fqcn: margin.message.fqcn.replace(/^[a-z]+/, 'other') }),
      'channel-mismatch',
    ),
    of('another topic', message({ topic: 'margin.warning.v1' }), 'topic-mismatch'),
    of('another signature scheme', { ...margin, signatureScheme: 'keccak256' }, 'signer-mismatch'),
    of(
      'a signature that recovers no key',
      message({ signature: `0x${'00'.repeat(65)}` }),
      'signature-format',
      'No public key can be recovered from the signature.',
    ),
    of(
      'a signature with another recovery id',
      message({ signature: margin.message.signature.replace(/..$/, '02') }),
      'signature-format',
      'The signature does not have the form of 65 bytes.',
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
      'origin-proof',
    ),
    ...withoutTexts(margin, of),
  ];
}

/** Has no text form in JavaScript. */
const HOSTILE = { toString: 1, valueOf: 1 };

/** Members that are texts, as other values. A verifier must not convert them. */
function withoutTexts(
  margin: OpenSignedEvidence,
  of: (name: string, content: OpenEvidence, reason: string) => EvidenceVector,
): EvidenceVector[] {
  const unsigned = createUnsignedEvidence();
  const withEvent = (change: object): OpenEvidence =>
    ({ ...unsigned, event: { ...unsigned.event, ...change } }) as OpenEvidence;
  const key = parsePrivateKey('44'.repeat(32));
  return [
    ...['type', 'participant', 'subject'].flatMap((member) => [
      of(`unsigned, with an object as ${member}`, withEvent({ [member]: HOSTILE }), 'not-evidence'),
      of(`unsigned, with a list as ${member}`, withEvent({ [member]: ['a text'] }), 'not-evidence'),
      of(`unsigned, without ${member}`, withEvent({ [member]: undefined }), 'not-evidence'),
    ]),
    of('unsigned, with an object as id', withEvent({ id: HOSTILE }), 'not-evidence'),
    of(
      'signed, with an object as participant that the proof does not cover',
      { ...createEvidence({ ...margin.event, participant: HOSTILE }), origin: margin.origin },
      'origin-proof',
    ),
    ...['type', 'participant', 'subject'].map((member) => {
      const event = { ...margin.event, [member]: HOSTILE };
      return of(
        `signed, with an object as ${member}`,
        createEvidence(signAgain(event, key)),
        member === 'type' ? 'unknown-type' : 'schema',
      );
    }),
    of(
      'signed, with a list as participant',
      createEvidence(signAgain({ ...margin.event, participant: [margin.event['participant']] }, key)),
      'schema',
    ),
  ];
}
