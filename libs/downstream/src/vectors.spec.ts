import { readFileSync } from 'node:fs';
import { Trust } from './verify/trust.js';
import { verifyMessage, type ReceivedMessage } from './verify/verify-message.js';
import { REJECTION_REASONS } from './verify/rejection.js';
import { verifyWebhook } from './verify/verify-webhook.js';

interface Vector {
  readonly name: string;
  readonly message: ReceivedMessage;
  readonly verdict:
    | { readonly ok: true; readonly id: string; readonly origin: string }
    | { readonly ok: false; readonly reason: string };
}

const FOLDER = new URL('../../../events/vectors/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

it.each([
  ['valid.json', 'trust.json'],
  ['invalid.json', 'trust.json'],
  ['keccak256.json', 'keccak256-trust.json'],
])('gives the verdicts of %s', (name, trustName) => {
  const trust = Trust.fromJson(read(trustName));
  const wrong = (read(name) as Vector[]).flatMap(({ name, message, verdict: expected }) => {
    const verdict = verifyMessage(message, { trust });
    const found = verdict.ok
      ? { ok: true, id: verdict.event.id, origin: verdict.origin }
      : { ok: false, reason: verdict.reason };
    const isSame = JSON.stringify(found) === JSON.stringify(expected);
    return isSame ? [] : [{ name, expected, found, detail: verdict.ok ? undefined : verdict.detail }];
  });
  expect(wrong).toEqual([]);
});

interface WebhookVector {
  readonly name: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: readonly string[];
  readonly now: string;
  readonly trust: boolean;
  readonly verdict: { readonly ok: boolean; readonly id?: string };
}

it.each(read('webhooks.json') as WebhookVector[])('webhook: $name', (vector) => {
  const { body, headers, secret, now, trust, verdict } = vector;
  const options = { secret, now: new Date(now), ...(trust && { trust: Trust.fromJson(read('trust.json')) }) };
  const found = verifyWebhook(body, headers, options);
  const expected = verdict.ok ? { retiredKeys: [], ...verdict } : verdict;
  expect({ ...found, ...(found.ok && { id: found.event.id }) }).toMatchObject(expected);
});

it('each reason has several vectors', () => {
  const reasons = (read('invalid.json') as Vector[]).map(({ verdict }) => !verdict.ok && verdict.reason);
  const rare = REJECTION_REASONS.filter((reason) => reasons.filter((each) => each === reason).length < 3);
  expect(rare).toEqual([]);
});
