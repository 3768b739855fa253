import {
  curve,
  didOfKey,
  generatePrivateKey,
  keccak,
  recoverSigner,
  signJws,
  signMessage,
  verifyJws,
  verifyMessage,
} from '@ssb/identity';
import { buildRow, formatInteger, formatRate, renderFencedTable } from '../figures.js';
import type { Section } from '../section.js';
import { createPayloads, measureRate, signPayloads } from './signed-payloads.js';

/** Recovered addresses per second. */
const RECOVERY_GOAL = 12_000;

/** Signing and verifying on one thread, compared with the curve alone. */
export const signatures: Section = {
  name: 'signatures',
  about: 'signing, and text and signature → address, on one thread',
  async run({ runs, requests }, print) {
    const measured = new Map<string, number[]>();
    const measurements = createMeasurements(requests);
    // A first pass without measurement warms up the compiler.
    for (const { measure } of measurements) measure();
    for (let run = 1; run <= runs; run += 1) {
      print(`run ${run} of ${runs}: ${formatInteger(requests)} payloads …`);
      for (const { name, measure } of measurements) {
        measured.set(name, [...(measured.get(name) ?? []), measure()]);
        // Pending work of the event loop runs between two measurements.
        await new Promise(setImmediate);
      }
    }
    const rows = [...measured].map(([name, rates]) => buildRow(name, rates, formatRate));
    const report = [
      `${runs} runs of ${formatInteger(requests)} different payloads of 1 000 bytes, one after the other on one thread; scheme eip191.`,
      `The curve is ${curve.name} and the hash ${keccak.name}.`,
      '',
      renderFencedTable(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { curve: curve.name, keccak: keccak.name, ...Object.fromEntries(measured) }, report };
  },
};

interface Measurement {
  readonly name: string;
  /** @returns operations per second */
  readonly measure: () => number;
}

function createMeasurements(requests: number): Measurement[] {
  const key = generatePrivateKey();
  const did = didOfKey(key);
  const texts = createPayloads(requests);
  const all = signPayloads(texts, key);
  const jws = texts.map((text) => signJws(text, key));
  const digests = texts.map((text) => keccak.hash(Buffer.from(text)));
  const bare = digests.map((digest) => ({ digest, ...curve.sign(digest, key.bytes) }));
  return [
    createMeasurement(
      `text and signature → address (goal: ${formatInteger(RECOVERY_GOAL)})`,
      all,
      ({ payload, signature }) => recoverSigner(payload, signature),
    ),
    createMeasurement('the curve alone: digest → public key', bare, ({ digest, compact, recovery }) =>
      curve.recover(digest, compact, recovery),
    ),
    createMeasurement('signature checked against a DID', all, ({ payload, signature }) =>
      verifyMessage(payload, signature, did),
    ),
    createMeasurement('payload signed', texts, (text) => signMessage(text, key)),
    createMeasurement('the curve alone: digest → signature', bare, ({ digest }) =>
      curve.sign(digest, key.bytes),
    ),
    createMeasurement('JWS signed (ES256K)', texts, (text) => signJws(text, key)),
    createMeasurement('JWS checked against a DID', jws, (text) => verifyJws(text, did)),
  ];
}

function createMeasurement<T>(
  name: string,
  inputs: readonly T[],
  operation: (input: T) => unknown,
): Measurement {
  return { name, measure: () => measureRate(inputs, operation) };
}
