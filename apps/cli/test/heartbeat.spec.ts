import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventWorker, openDeadLetters, type PublishResult, connectRedis } from '@ssb/redis-queue';
import { type EndedProcess, startScriptedServer } from '@ssb/testing';
import { type BridgeCommands, prepareCommands } from './support/bridge-commands.js';

const CHANNEL = 'c.channels.bridge.apps.participant.iam.market';
const CONFIG = `participants: [{ code: WPGENCO, margin: { warning: '2', breach: '1', hysteresis: '0' } }]
routes: [{ types: ['settlementbus.margin.*'], channel: ${CHANNEL} }]
senders: [{ channel: ${CHANNEL}, gateways: ['\${UNSET_DID}'], origins: ['\${UNSET_DID}'] }]
alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }
`;

let commands: BridgeCommands;

beforeAll(async () => {
  commands = await prepareCommands(CONFIG);
});
afterAll(() => commands.stop());

/** No subscriber listens at its address. */
const run = (...args: string[]): Promise<EndedProcess> =>
  runWith({ SUBSCRIBER_URL: 'http://127.0.0.1:1' }, ...args);

const runWith = (environment: Readonly<Record<string, string>>, ...args: string[]): Promise<EndedProcess> =>
  commands.run(['heartbeat', '--json', ...args], environment);

/** A worker of the queue whose attempts end like this. */
async function withWorker<T>(result: PublishResult, work: () => Promise<T>): Promise<T> {
  const redis = connectRedis(commands.url, { name: 'heartbeat-spec', blocking: true });
  const { keys } = commands;
  const deadLetters = openDeadLetters({ redis, keys });
  const worker = new EventWorker(
    { redis, keys, deadLetters, concurrency: 1, onError: () => undefined },
    { publish: () => Promise.resolve(result) },
    { reportRefused: () => Promise.resolve() },
  );
  try {
    return await work();
  } finally {
    await worker.close();
    await deadLetters.close();
    redis.disconnect();
  }
}

const prefix = `WPGENCO on ${CHANNEL}: `;

it('says after which hop a heartbeat was lost', async () => {
  const waiting = await run('--timeout', '1s');
  expect(waiting).toMatchObject({
    status: 1,
    stderr: `${prefix}No bus-publisher takes it from the queue. Check that one runs, with the same REDIS_URL and QUEUE_PREFIX.\n`,
  });
  const dropped = await withWorker({ outcome: 'dropped', reason: 'no such channel' }, () => run());
  expect([dropped.status, dropped.stderr]).toEqual([
    1,
    `${prefix}The bus-publisher dropped it: no such channel.\n`,
  ]);
  const retried = await withWorker({ outcome: 'retry', reason: 'the gateway is down' }, () =>
    run('--timeout', '6s'),
  );
  expect(retried.stderr).toBe(`${prefix}The bus-publisher cannot publish it: the gateway is down.\n`);
  const published = await withWorker({ outcome: 'published' }, () => run('--timeout', '6s'));
  expect(published.stderr).toMatch(
    /: It was published, but no replica of the subscriber responds at SUBSCRIBER_URL: .*ECONNREFUSED.*\.\n$/,
  );
  expect(JSON.parse(published.stdout)).toEqual([
    expect.objectContaining({ participant: 'WPGENCO', channel: CHANNEL, publishedMs: expect.any(Number) }),
  ]);
});

it('reads the subscriber once a round for all participants, until their heartbeats are verified', async () => {
  const participant = CONFIG.slice(CONFIG.indexOf('{'), CONFIG.indexOf(']'));
  const other = participant.replace('WPGENCO', 'OTHER');
  writeFileSync(join(commands.folder, 'two.yaml'), CONFIG.replace(participant, `${participant}, ${other}`));
  const subscriber = await startScriptedServer();
  const metric = (code: string, ms: number): string =>
    `settlement_bridge_subscriber_test_heartbeat_timestamp_seconds{participant="${code}",channel="${CHANNEL}"} ${ms / 1_000}\n`;
  subscriber.respond = (_, count) => ({
    body: metric('WPGENCO', Date.now()) + metric('OTHER', count < 3 ? 1_000 : Date.now()),
  });
  try {
    const environment = { CONFIG_FILE: join(commands.folder, 'two.yaml'), SUBSCRIBER_URL: subscriber.url };
    const { status, stdout } = await withWorker({ outcome: 'published' }, () => runWith(environment));
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ participant: 'WPGENCO', verifiedMs: expect.any(Number) }),
      expect.objectContaining({ participant: 'OTHER', verifiedMs: expect.any(Number) }),
    ]);
    expect(subscriber.received).toHaveLength(3);
  } finally {
    await subscriber.stop();
  }
});

it('refuses a participant and a channel that are not configured, and too long a timeout', async () => {
  const participant = await run('--participant', 'X');
  const channel = await run('--channel', 'x');
  const timeout = await run('--timeout', '2d');
  expect(participant.stderr).toBe('X is not in participants of CONFIG_FILE. Give one of them.\n');
  expect(channel.stderr).toBe(`No route of CONFIG_FILE has the channel x. Give one of ${CHANNEL}.\n`);
  expect(timeout.stderr).toMatch(/argument '2d' is invalid\. It is at most 1d\.\n/);
  expect([participant.status, channel.status, timeout.status]).toEqual([2, 2, 2]);
});
