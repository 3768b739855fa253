import { BackfillStore, type BackfillProgress, type BackfillRequest } from '@ssb/redis-queue';
import { type EndedProcess, waitFor } from '@ssb/testing';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type BridgeCommands, prepareCommands } from './support/bridge-commands.js';
import { PROGRAM } from './support/run-command.js';

const participants = ['WPGENCO', 'OTHER'].map(
  (code) => `{ code: ${code}, margin: { warning: '2', breach: '1', hysteresis: '0' } }`,
);
const CONFIG = `participants: [${participants.join(', ')}]
routes: [{ types: ['settlementbus.*'], channel: c.channels.bridge.apps.participant.iam.market }]
senders: []
alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }
`;
const RANGE = ['--participant', 'WPGENCO', '--from', '2026-01-01', '--to', '2026-01-31'];

let commands: BridgeCommands;
let store: BackfillStore;

beforeAll(async () => {
  commands = await prepareCommands(CONFIG);
  const { redis, keys } = commands;
  store = new BackfillStore({ redis, prefix: '{bridge}', participant: 'WPGENCO', keys });
});
afterAll(() => commands.stop());
beforeEach(() => commands.redis.flushall());

const run = (...args: string[]): Promise<EndedProcess> => commands.run(['backfill', ...args]);
const request = (): Promise<BackfillRequest> =>
  waitFor('the request', async () => (await store.read()).request);

function progressOf({ id }: BackfillRequest, changes: Partial<BackfillProgress> = {}): BackfillProgress {
  const at = new Date().toISOString();
  return {
    requestId: id,
    state: 'done',
    stepsDone: 4,
    stepsTotal: 4,
    postponed: [],
    events: { 'settlementbus.statement.published.v1': 2, 'settlementbus.invoice.issued.v1': 1 },
    failures: [],
    failureCount: 0,
    startedAt: at,
    updatedAt: at,
    ...changes,
  };
}

it('requests a backfill, waits for its end and prints the events by type', async () => {
  const ended = run(...RANGE);
  const requested = await request();
  expect(requested).toMatchObject({
    participant: 'WPGENCO',
    from: '2026-01-01',
    to: '2026-01-31',
    dryRun: false,
  });
  await store.writeProgress(progressOf(requested, { state: 'running', stepsDone: 1 }));
  await store.writeProgress(progressOf(requested));
  const { status, stdout } = await ended;
  expect(stdout).toMatch(
    /^WPGENCO from 2026-01-01 to 2026-01-31\n[^]*\nsettlementbus\.invoice\.issued\.v1 +1\nsettlementbus\.statement\.published\.v1 +2\ntotal +3\n$/,
  );
  expect(status).toBe(0);
});

it('lists the events of a dry run, also as JSON', async () => {
  const ended = run(...RANGE, '--dry-run', '--json');
  const requested = await request();
  expect(requested.dryRun).toBe(true);
  const event = {
    id: 'a',
    type: 'settlementbus.invoice.issued.v1',
    subject: 'WPGENCO/…',
    time: '2026-01-05T00:00:00Z',
  };
  await store.list([event]);
  await store.writeProgress(progressOf(requested));
  const { status, stdout } = await ended;
  expect(JSON.parse(stdout)).toMatchObject({
    from: '2026-01-01',
    state: 'done',
    listed: [event],
    isListComplete: true,
  });
  expect(status).toBe(0);
});

it('is paused by Ctrl-C, continued by the same options, and another range is refused meanwhile', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'backfill', ...RANGE], { env: commands.environment });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const requested = await request();
  await store.writeProgress(progressOf(requested, { state: 'running', stepsDone: 2 }));
  await waitFor('the progress', () => errors.includes('2 of 4 records (50 %), 3 events'));
  child.kill('SIGINT');
  // At 'close', unlike 'exit', all of its output has been read.
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(errors).toContain('The backfill is paused. The same command continues it.');
  expect((await store.read()).request).toEqual({ ...requested, isPaused: true });

  const refused = await run('--participant', 'WPGENCO', '--from', '2026-02-01', '--to', '2026-02-28');
  expect(refused).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^A backfill of WPGENCO from 2026-01-01/),
  });
  const continued = run(...RANGE);
  await waitFor('the continuation', async () => (await store.read()).request?.isPaused === false);
  expect((await store.read()).request).toEqual(requested);
  await store.writeProgress(
    progressOf(requested, { failures: [{ what: 'x', reason: 'y' }], failureCount: 1 }),
  );
  const { status, stdout } = await continued;
  expect(stdout).toMatch(/could not be used +reason\n.*\nx +y\n$/);
  expect(status).toBe(1);
});

it('shows the result that the poller reached after the command ended, and only once', async () => {
  const [participant, from, to] = [RANGE[1] ?? '', RANGE[3] ?? '', RANGE[5] ?? ''];
  const requested = { participant, from, to, dryRun: false, id: randomUUID(), isPaused: false };
  await store.writeRequest(requested);
  await store.writeProgress(progressOf(requested));
  expect((await run(...RANGE)).stdout).toMatch(/total +3\n$/);
  const repeated = run(...RANGE);
  const next = await waitFor('another backfill', async () => {
    const found = (await store.read()).request;
    return found?.id === requested.id ? undefined : found;
  });
  await store.writeProgress(progressOf(next));
  expect((await repeated).status).toBe(0);
});

it('without --to, a backfill of an earlier day is continued', async () => {
  const open = { participant: 'WPGENCO', from: '2026-01-01', to: '2026-01-31', dryRun: false };
  const requested = { ...open, id: randomUUID(), isPaused: true, isUntilToday: true };
  await store.writeRequest(requested);
  const continued = run('--participant', 'WPGENCO', '--from', '2026-01-01', '--json');
  await waitFor('the continuation', async () => (await store.read()).request?.isPaused === false);
  await store.writeProgress(progressOf(requested));
  expect(JSON.parse((await continued).stdout)).toMatchObject({ ...open, state: 'done' });
  await store.writeRequest({ ...open, id: randomUUID(), isPaused: true });
  expect(await run('--participant', 'WPGENCO', '--from', '2026-01-01')).toMatchObject({ status: 1 });
});

it('ends when another command pauses the backfill', async () => {
  const ended = run(...RANGE);
  const { id } = await request();
  await store.changeRequest(id, { isPaused: true });
  expect(await ended).toMatchObject({
    status: 130,
    stderr: 'Another command has paused the backfill. The same command continues it.\n',
  });
});

it('is ended by --cancel', async () => {
  const ended = run(...RANGE);
  await request();
  expect((await run('--participant', 'WPGENCO', '--cancel')).stdout).toBe(
    'The backfill of WPGENCO from 2026-01-01 to 2026-01-31 is ended.\n',
  );
  expect((await ended).stderr).toContain('Another command has ended or replaced this backfill.');
  const { stdout } = await run('--participant', 'WPGENCO', '--cancel', '--json');
  expect(JSON.parse(stdout)).toEqual({ participant: 'WPGENCO', ended: null });
});

it('a range that cannot be used is refused before anything is written', async () => {
  expect(await run('--participant', 'OTHER')).toMatchObject({
    status: 1,
    stderr: 'Give the first market date with --from, such as --from 2026-01-01.\n',
  });
  expect(await commands.redis.dbsize()).toBe(0);
});
