import { waitFor } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  breach,
  deadLetters,
  folder,
  published,
  setUpPublisherTests,
  start,
} from './support/running-publisher.js';

setUpPublisherTests();

const TOKEN = randomUUID();
const BEARER = { authorization: `Bearer ${TOKEN}` };

let url: string;

async function open(): Promise<void> {
  const file = join(folder, 'operate.token');
  writeFileSync(file, TOKEN, { mode: 0o600 });
  ({ url } = await start({ MANAGEMENT_OPERATE_TOKEN_FILE: file }));
}

async function send(
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = BEARER,
  body?: object,
) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it('shows the queue, and pages of the dead letters without their events', async () => {
  for (const number of [1, 2]) await deadLetters.add(breach(number), 'no such channel');
  await open();
  await waitFor('the state', async () => {
    const { body } = await send('GET', '/state', {});
    return (body['queue'] as { deadLetters?: number } | undefined)?.deadLetters === 2;
  });
  const first = await send('GET', '/dead-letters?limit=1', {});
  expect(first.body).toEqual({
    items: [
      {
        id: breach(1).id,
        verified: true,
        type: breach(1).type,
        participant: breach(1).participant,
        subject: breach(1).subject,
        reason: 'no such channel',
        deadLetteredAt: expect.any(String),
      },
    ],
    next: breach(2).id,
  });
  expect((await send('GET', `/dead-letters?cursor=${breach(2).id}`)).body).toMatchObject({
    items: [{ id: breach(2).id }],
  });
  expect((await send('GET', '/dead-letters?cursor=gone')).status).toBe(422);
  expect((await send('GET', '/dead-letters?limit=101')).status).toBe(422);
});

it('retries, removes and shows a dead letter for the token of actions only', async () => {
  await deadLetters.add(breach(1), 'no such channel');
  await deadLetters.add(breach(2), 'no such channel');
  await deadLetters.add({ ...breach(3), participant: 'NOTLISTED' }, 'no such channel');
  await open();
  const [one, two, three] = [1, 2, 3].map((number) => `/dead-letters/${breach(number).id}`);
  for (const [method, path] of [
    ['GET', one],
    ['POST', `${one}/retry`],
    ['POST', `${one}/remove`],
    ['POST', '/dead-letters/retry'],
  ] as const)
    expect((await send(method, path ?? '', {})).status).toBe(401);
  const form = new URLSearchParams({ unverified: 'true' });
  const sent = await fetch(`${url}${one}/retry`, { method: 'POST', headers: BEARER, body: form });
  expect([sent.status, await sent.text()]).toEqual([415, expect.stringContaining('application/json')]);
  expect((await send('GET', one ?? '')).body).toMatchObject({ event: { id: breach(1).id } });

  expect(await send('POST', `${one}/retry`)).toMatchObject({ status: 200, body: { outcome: 'queued' } });
  await waitFor('its publication', async () => published().length === 1 && (await deadLetters.count()) === 2);
  expect(await send('POST', `${three}/retry`)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('NOTLISTED') },
  });
  expect(await send('POST', `${two}/remove`)).toMatchObject({ status: 200, body: { id: breach(2).id } });
  expect((await send('POST', `${two}/remove`)).status).toBe(404);
  expect(await send('POST', '/dead-letters/retry')).toMatchObject({
    body: { items: [{ id: breach(3).id, outcome: 'refused' }] },
  });
});

it('accepts one unverified dead letter, after the same validation', async () => {
  const refused = { jobId: 'x', eventType: undefined, refusal: 'missing', reason: '' } as const;
  const events = [breach(1), { ...breach(2), participant: 'NOTLISTED' }, { ...breach(3), id: randomUUID() }];
  for (const event of events) await deadLetters.addRefused(refused, event);
  await open();
  const letters = await deadLetters.list();
  const retry = (event: { id: string }, unverified: boolean) => {
    const id = letters.find((letter) => letter.event.id === event.id)?.id ?? '';
    return send('POST', `/dead-letters/${id}/retry`, BEARER, { unverified });
  };
  const [allowed, unlisted, forged] = events;
  for (const [event, unverified, reason] of [
    [allowed, false, 'The job has no HMAC.'],
    [unlisted, true, 'CONFIG_FILE has no participant "NOTLISTED"'],
    [forged, true, 'the event does not have the id of its fact'],
  ] as const)
    expect(await retry(event!, unverified)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(reason) },
    });
  expect(await retry(allowed!, true)).toMatchObject({ status: 200, body: { outcome: 'queued' } });
  await waitFor('its publication', () => published().length === 1);
});
