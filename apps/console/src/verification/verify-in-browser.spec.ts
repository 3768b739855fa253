import type { ChannelTrust } from 'settlement-bus-downstream/verify';
import { verifyInBrowser, type TrustedKey } from './verify-in-browser.js';

interface Vector {
  readonly name: string;
  readonly trust: string | null;
  readonly text: string;
  readonly result: { readonly status: string; readonly reason?: string };
}

interface Vectors {
  readonly trusts: Readonly<Record<string, { readonly channels: Readonly<Record<string, ChannelTrust>> }>>;
  readonly vectors: readonly Vector[];
}

const file = new URL('../../../../libs/events/vectors/evidence.json', import.meta.url);
const { default: published } = (await import(file.href, { with: { type: 'json' } })) as {
  readonly default: Vectors;
};
const { trusts, vectors } = published;

/** The trusted keys of the API say nothing about the scheme, so this browser cannot refuse another one. */
const withTrust = vectors.filter(
  ({ trust, result }) => trust !== null && result.reason !== 'scheme-not-trusted',
);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function payloadOf(text: string): string {
  const { message } = JSON.parse(text) as { readonly message?: { readonly payload: string } };
  return message?.payload ?? '';
}

function keysOf(name: string | null): TrustedKey[] {
  return Object.entries(trusts[name ?? '']?.channels ?? {}).flatMap(([channel, { gateways, origins }]) => [
    ...gateways.map((entry) => ({ ...entry, channel, role: 'gateway' as const, participants: [] })),
    ...origins.map((entry) => ({ ...entry, channel, role: 'origin' as const })),
  ]);
}

const breach = vectors.find(({ name }) => name === 'settlementbus.margin.breached.v1') as Vector;
const verify = (change: Partial<Parameters<typeof verifyInBrowser>[0]>) =>
  verifyInBrowser({
    evidence: encode(breach.text),
    shownText: payloadOf(breach.text),
    trustedKeys: keysOf('all'),
    ...change,
  });

it.each(withTrust.map((vector) => [vector.name, vector] as const))('%s', (_, { text, trust, result }) => {
  const verdict = { verified: 'verified', consistent: 'not-verified', invalid: 'not-verified' }[
    result.status
  ];
  expect(
    verifyInBrowser({ evidence: encode(text), shownText: payloadOf(text), trustedKeys: keysOf(trust) }),
  ).toMatchObject({
    verdict: result.reason === 'unsigned' ? 'unsigned' : verdict,
    ...(result.reason !== undefined && { reason: result.reason }),
  });
});

it('one changed digit is not verified', () => {
  const changed = breach.text.replace(/(tradingMargin\\": *\\"-?)\d/, (_, start: string) => `${start}9`);
  expect(changed).not.toBe(breach.text);
  expect(verify({ evidence: encode(changed) })).toMatchObject({ verdict: 'not-verified', proved: [] });
});

it('a page that shows another text than the signed one is not verified', () => {
  expect(verify({ shownText: `${payloadOf(breach.text)} ` })).toMatchObject({
    verdict: 'not-verified',
    reason: 'event-mismatch',
  });
});

it('the keys of the evidence file take the place of a list that the caller may not read', () => {
  const result = verify({ trustedKeys: undefined });
  expect(result).toMatchObject({ verdict: 'verified', trustSource: 'evidence' });
  expect(result.proved.at(-1)).toMatch(/^The evidence file names both keys on /);
});

it('an empty list trusts nobody', () => {
  expect(verify({ trustedKeys: [] })).toMatchObject({
    verdict: 'not-verified',
    reason: 'sender-not-allowed',
  });
});

it('says in words who signed, and what it could not check', () => {
  const { proved, notProved, keys } = verify({});
  expect(proved[0]).toBe(
    'The holder of the key of the bridge signed the event: every member, its data, channel and topic.',
  );
  expect(proved.at(-1)).toMatch(/^The list of trusted keys names both keys on /);
  expect(notProved.join(' ')).toContain('their list comes from this server');
  expect(keys.map(({ role, state }) => `${role} ${state}`)).toEqual(['bridge trusted', 'gateway trusted']);
});
