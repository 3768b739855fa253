import { readFileSync } from 'node:fs';
import { Trust, type ReceivedMessage } from 'settlement-bus-downstream/verify';
import { verifyBusMessage, type VerificationOptions } from './message-verifier.js';

interface Vector {
  readonly name: string;
  readonly message: ReceivedMessage & { readonly id: string; readonly timestampNanos: string };
  readonly verdict: { readonly ok: boolean; readonly reason?: string };
}

const FOLDER = new URL('../../../../../../libs/events/vectors/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

const margin = { warning: '2', breach: '1', hysteresis: '0' };

it.each([
  ['valid.json', 'trust.json'],
  ['invalid.json', 'trust.json'],
  ['keccak256.json', 'keccak256-trust.json'],
])('the subscriber gives the verdicts of libs/events/vectors/%s', (name, trustName) => {
  const trust = Trust.fromJson(read(trustName));
  const wrong = (read(name) as Vector[]).filter(({ message: { topic, ...message }, verdict: expected }) => {
    const trusted = trust.sendersOf(message.fqcn);
    const options: VerificationOptions = {
      scheme: trust.signatureScheme,
      trusted,
      trustedAnywhere: trusted,
      participants: ['ALPHA', 'BETA', 'DELTA'].map((code) => ({ code, margin })),
      clocks: { skewMs: 60_000, maxAgeMs: 300_000 },
    };
    const timestampNanos = BigInt(message.timestampNanos);
    const found = verifyBusMessage(
      { ...message, timestampNanos, ...(topic !== undefined && { topic }) },
      options,
    );
    return found.ok !== expected.ok || (!found.ok && found.reason !== expected.reason);
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
