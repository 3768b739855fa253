import {
  curve,
  didOfKey,
  generatePrivateKey,
  keccak,
  nobleCurve,
  nobleKeccak,
  recoverSigner,
  signJws,
  signMessage,
  verifyJws,
  verifyMessage,
} from '@ssb/identity';
import { verifyMessage as recoverWithEthers, Wallet } from 'ethers';
import { fenced, figure, whole } from '../figures.js';
import type { Section } from '../section.js';
import { payloads, signed } from './signed-payloads.js';

/** What is slow is asked for so many times fewer, to be done in the same time. */
const SLOWER = 50;

/** What is asked in `npm run bench` of the way from a text and its signature to an address. */
const GOAL = 12_000;

/** One thread and no network: what signing and recovering cost, beside the reference, ethers, and the curve alone. */
export const signatures: Section = {
  name: 'signatures',
  about: 'signing, and text and signature → address, on one thread',
  async run({ runs, requests }, say) {
    const measured = new Map<string, number[]>();
    const samples = prepare(requests);
    for (const sample of samples) sample.run();
    for (let run = 1; run <= runs; run += 1) {
      say(`run ${run} of ${runs}: ${whole(requests)} payloads …`);
      for (const sample of samples) {
        measured.set(sample.name, [...(measured.get(sample.name) ?? []), sample.run()]);
        // What waits in the process has its turn between two measurements, not within one.
        await new Promise(setImmediate);
      }
    }
    const rows = [...measured].map(([name, rates]) => figure(name, rates, (rate) => `${whole(rate)}/s`));
    const report = [
      `${runs} runs of ${whole(requests)} different payloads of 1 000 bytes (a ${SLOWER}th of them for noble and ethers), one after the other on one thread;`,
      `scheme eip191. Here the curve is ${curve.name} and the hash ${keccak.name}.`,
      '',
      fenced(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { curve: curve.name, keccak: keccak.name, ...Object.fromEntries(measured) }, report };
  },
};

interface Work {
  readonly name: string;
  /** Does it once for each of its inputs. @returns how often a second */
  run(): number;
}

function prepare(requests: number): Work[] {
  const key = generatePrivateKey();
  const did = didOfKey(key);
  const texts = payloads(requests);
  const all = signed(texts, key);
  const few = all.slice(0, Math.ceil(requests / SLOWER));
  const jws = texts.map((text) => signJws(text, key));
  const digests = texts.map((text) => keccak.hash(Buffer.from(text)));
  const bare = digests.map((digest) => ({ digest, ...curve.sign(digest, key.bytes) }));
  const reference = { curve: nobleCurve, keccak: nobleKeccak };
  const wallet = new Wallet(`0x${key.toHex()}`);
  return [
    work(`text and signature → address (goal: ${whole(GOAL)})`, all, ({ payload, signature }) =>
      recoverSigner(payload, signature),
    ),
    work('address with noble alone', few, ({ payload, signature }) =>
      recoverSigner(payload, signature, 'eip191', reference),
    ),
    work('address with ethers', few, ({ payload, signature }) => recoverWithEthers(payload, signature)),
    work('the curve alone: digest → public key', bare, ({ digest, compact, recovery }) =>
      curve.recover(digest, compact, recovery),
    ),
    work('signature checked against a DID', all, ({ payload, signature }) =>
      verifyMessage(payload, signature, did),
    ),
    work('payload signed', texts, (text) => signMessage(text, key)),
    work('signed with noble alone', few, ({ payload }) => signMessage(payload, key, 'eip191', reference)),
    work('signed with ethers', few, ({ payload }) => wallet.signMessageSync(payload)),
    work('the curve alone: digest → signature', bare, ({ digest }) => curve.sign(digest, key.bytes)),
    work('JWS signed (ES256K)', texts, (text) => signJws(text, key)),
    work('JWS checked against a DID', jws, (text) => verifyJws(text, did)),
  ];
}

function work<T>(name: string, inputs: readonly T[], each: (input: T) => unknown): Work {
  return {
    name,
    run: () => {
      const began = performance.now();
      for (const input of inputs) each(input);
      return inputs.length / ((performance.now() - began) / 1000);
    },
  };
}
