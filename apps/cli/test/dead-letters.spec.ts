import { createFactEvent, type DetectedEvent } from '@ssb/events';
import { openDeadLetters, openEventQueue, type DeadLetters, type EventQueue } from '@ssb/redis-queue';
import type { EndedProcess } from '@ssb/testing';
import { type BridgeCommands, prepareCommands } from './support/bridge-commands.js';
import { runCommand } from './support/run-command.js';

// Senders and sinks have unset variables.
const CONFIG = `participants: [{ code: WPGENCO, margin: { warning: '2', breach: '1', hysteresis: '0' } }]
routes: [{ types: ['settlementbus.margin.*'], channel: c.channels.bridge.apps.participant.iam.market }]
senders: [{ channel: c.channels.bridge.apps.participant.iam.market, gateways: ['\${UNSET_DID}'], origins: ['\${UNSET_DID}'] }]
alerts:
  sinks: [{ name: hook, kind: webhook, url: '\${UNSET_URL}', secret: '\${UNSET_SECRET}' }]
  rules: [{ types: ['*'], sinks: [hook] }]
`;

let commands: BridgeCommands;
let letters: DeadLetters;
let queue: EventQueue;

beforeAll(async () => {
  commands = await prepareCommands(CONFIG);
  letters = openDeadLetters(commands);
  queue = openEventQueue(commands);
});
afterAll(async () => {
  await letters.close();
  await queue.close();
  await commands.stop();
});
beforeEach(() => commands.redis.flushall());

const run = (...args: string[]): Promise<EndedProcess> => commands.run(['dead-letters', ...args]);

function breach(participant: string): DetectedEvent {
  return createFactEvent(
    {
      type: 'settlementbus.margin.breached.v1',
      data: {
        tradingDay: '2026-03-02T00:00:00',
        calculatedAt: '2026-03-02T09:00:00',
        level: 'BREACHED',
        previousLevel: 'OK',
        tradingMargin: '-1',
        thresholds: { warning: '2', breach: '1', hysteresis: '0' },
      },
    },
    participant,
    { detectedAt: new Date(), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  );
}

const refusedJob = { jobId: 'x', eventType: undefined, refusal: 'missing', reason: '' } as const;

it('retries what HMAC and configuration allow, and refuses the rest with the reason', async () => {
  const allowed = breach('WPGENCO');
  const unlisted = breach('NOTLISTED');
  const invalid = { ...breach('WPGENCO'), id: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b', sequence: '7' };
  for (const event of [allowed, unlisted, invalid as DetectedEvent]) await letters.add(event, 'no channel');
  await letters.addRefused(refusedJob, { event: { ...breach('WPGENCO'), subject: '\u001b[2J\u009b' } });

  const listed = await run('list');
  expect(listed.status).toBe(0);
  expect(listed.stdout).toMatch(new RegExp(`${allowed.id} +yes .*no channel`));
  expect(listed.stdout).toMatch(/unverified-[0-9a-f]{32} +no .*The job has no HMAC\./);
  const json = (await run('list', '--json')).stdout;
  for (const control of ['\u001b', '\u009b']) expect(listed.stdout + json).not.toContain(control);
  const unverifiedId = (JSON.parse(json) as { id: string }[])[3]?.id ?? '';

  const { status, stdout } = await run('retry', 'all', '--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    { id: allowed.id, outcome: 'queued' },
    { id: unlisted.id, outcome: 'refused', reason: 'CONFIG_FILE has no participant "NOTLISTED"' },
    {
      id: invalid.id,
      outcome: 'refused',
      reason: 'the event does not match its schema: /sequence must match pattern "^[0-9]{20}$"',
    },
    {
      id: unverifiedId,
      outcome: 'refused',
      reason: expect.stringMatching(/^The job has no HMAC\. Only "retry <id> --unverified" accepts/),
    },
  ]);
  expect((await queue.depth()).waiting).toBe(1);
  expect(await letters.count()).toBe(3);
  expect(await letters.countUnverified()).toBe(1);
});

it('accepts one unverified dead letter, after the same validation', async () => {
  await letters.addRefused(refusedJob, breach('WPGENCO'));
  await letters.addRefused(refusedJob, breach('NOTLISTED'));
  const [allowed = '', unlisted = ''] = (await letters.list())
    .toSorted((a, b) => String(b.event.participant).localeCompare(String(a.event.participant)))
    .map(({ id }) => id);
  expect(await run('retry', unlisted, '--unverified')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('CONFIG_FILE has no participant "NOTLISTED"'),
  });
  const all = await run('retry', 'all', '--unverified');
  expect(all).toMatchObject({ status: 1, stderr: expect.stringMatching(/^--unverified takes one id/) });
  expect((await queue.depth()).waiting).toBe(0);
  expect(await run('retry', allowed, '--unverified')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(new RegExp(`${allowed} +queued`)),
  });
  expect((await queue.depth()).waiting).toBe(1);
  expect((await letters.list()).map(({ id }) => id)).toEqual([breach('WPGENCO').id, unlisted]);
});

it('refuses a forged dead letter with the id of another fact', async () => {
  const future = { ...breach('WPGENCO'), id: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b' };
  await letters.addRefused(refusedJob, future);
  const [id = ''] = await letters.listIds();
  expect(await run('retry', id, '--unverified')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('the event does not have the id of its fact'),
  });
  expect((await queue.depth()).waiting).toBe(0);
});

it('removes dead letters by their ids, and prints them', async () => {
  const event = breach('WPGENCO');
  await letters.add(event, 'no channel');
  await letters.addRefused(refusedJob, { subject: 'forged' });
  const [kept, forged = ''] = await letters.listIds();
  const { status, stdout } = await run('remove', forged, 'unknown');
  expect(status).toBe(1);
  expect(stdout).toMatch(new RegExp(`${forged} +removed +forged +The job has no HMAC`));
  expect(stdout).toMatch(/unknown +not-found/);
  expect(await letters.listIds()).toEqual([kept]);
  const json = await run('remove', event.id, '--json');
  expect(json.status).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { id: event.id, outcome: 'removed', event: { id: event.id } },
  ]);
  expect(await letters.list()).toEqual([]);
});

it('says what is missing when there is no key file', async () => {
  const { status, stderr } = await runCommand(['dead-letters', 'list'], { REDIS_URL: commands.url });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^INTEGRITY_KEYS_FILE is not set/);
});
