import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { sealEvent, marginChanged, TOPIC_OF, type SealedEvent } from '@ssb/events';
import { freePort } from '@ssb/free-ports';
import { didOfKey, generatePrivateKey, parsePrivateKey, signMessage, type PrivateKey } from '@ssb/identity';
import { readSecretFile, unsealFromFile } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { APP_OF, AppProcess, buildEnvironments, GATEWAY_USER, enrolGateway, REPOSITORY_ROOT } from '@ssb/tools';
import { GatewayClient } from '@ssb/bus';
import { RunningSystem } from './harness/running-system.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const TYPE = 'settlementbus.margin.breached.v1';

let running: RunningSystem;
let redis: Redis;
let originKey: PrivateKey;
let publisherDid: string;
let sequence = 0;

beforeAll(async () => {
  running = await RunningSystem.start();
  redis = new Redis(running.redis.url);
  const { originKeyFile, encryptionSecretFile } = running.system.plan.secrets;
  originKey = parsePrivateKey(
    (await unsealFromFile(originKeyFile, await readSecretFile(encryptionSecretFile))).toString(),
  );
  const gateway = running.system.gatewayClient('publisher');
  publisherDid = (await gateway.enrolment()).did;
  await gateway.close();
}, 240_000);

afterAll(async () => {
  redis.disconnect();
  await running.stop();
});

/** A breach that never happened, sealed with the given key: each a different calculation. */
function breach(key: PrivateKey): SealedEvent {
  sequence += 1;
  const calculatedAt = `2026-01-01T00:${String(sequence).padStart(2, '0')}:00`;
  const event = marginChanged(
    {
      participant: 'WPGENCO',
      tradingDay: '2026-01-01T00:00:00',
      calculatedAt,
      level: 'BREACHED',
      previousLevel: 'OK',
      tradingMargin: '-1.00',
      thresholds: { warning: '2.00', breach: '0.00', hysteresis: '1.00' },
    },
    { detectedAt: new Date(), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  );
  return sealEvent(event, { channel: CHANNEL, topic: TOPIC_OF[TYPE], signedAt: new Date(), key });
}

interface Forged {
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly id: string;
}

/** Where the broker keeps the channel's messages: each channel that ever had the name has a log of its own. */
async function logKey(): Promise<string> {
  const record = await redis.hget('broker:{channels}:records', CHANNEL);
  const { createdDateTime } = JSON.parse(record ?? '{}') as { createdDateTime?: string };
  return `broker:{${CHANNEL}}:${Date.parse(createdDateTime ?? '')}:log`;
}

/** Writes to the log as a compromised broker would: past every check on the way in. */
async function slipIntoLog({ payload, signature, sender, id }: Forged): Promise<void> {
  const fields = { topic: TOPIC_OF[TYPE], sender, signature, payload, correlationId: id };
  await redis.xadd(await logKey(), '*', ...Object.entries(fields).flat());
  await redis.publish('broker:appended', CHANNEL);
}

/** Posts through the publisher's own gateway, which does so in good faith: whoever has its password can. */
async function postAsPublisher(event: SealedEvent): Promise<void> {
  const gateway = running.system.gatewayClient('publisher');
  await gateway.sendMessage({
    fqcn: CHANNEL,
    topic: TOPIC_OF[TYPE],
    payload: JSON.stringify(event),
    transactionId: event.id,
  });
  await gateway.close();
}

/** Reason of the quarantine that followed `after` log lines. */
async function quarantinedAs(after: number): Promise<unknown> {
  const { line } = await waitFor('the quarantined message', () =>
    running.lines.slice(after).find(({ app, line }) => app === 'subscriber' && line.step === 'quarantined'),
  );
  return line['reason'];
}

function expectNeverAlerted(id: string): void {
  expect(running.sink.has(id)).toBe(false);
  expect(running.lines.filter(({ line }) => line['eventId'] === id && line.step === 'alerted')).toEqual([]);
}

describe('a message is quarantined with its own reason, and never alerted, when', () => {
  it('another key signed it', async () => {
    const after = running.lines.length;
    const event = breach(originKey);
    const payload = JSON.stringify(event);
    await slipIntoLog({
      payload,
      signature: signMessage(payload, generatePrivateKey()),
      sender: publisherDid,
      id: event.id,
    });
    expect(await quarantinedAs(after)).toBe('signer-mismatch');
    expectNeverAlerted(event.id);
  });

  it('one byte of its payload was changed on the way', async () => {
    // A true message of the publisher's gateway, taken from the log, changed, and put back.
    await running.market.publishMargin('500000.00');
    await running.market.publishMargin('-1.00');
    await waitFor('the genuine event', () => running.events().some(({ type }) => type === TYPE));
    const after = running.lines.length;
    const entries = await redis.xrevrange(await logKey(), '+', '-', 'COUNT', 50);
    const read = ([, fields]: [string, string[]]): Record<string, string> =>
      Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : [])));
    const genuine = entries
      .map(read)
      .find((entry) => entry['topic'] === TOPIC_OF[TYPE] && entry['sender'] === publisherDid);
    expect(genuine).toBeDefined();
    const payload = (genuine?.['payload'] ?? '').replace(
      '"tradingMargin":"-1.00"',
      '"tradingMargin":"-9.00"',
    );
    expect(payload).not.toBe(genuine?.['payload']);
    await slipIntoLog({
      payload,
      signature: genuine?.['signature'] ?? '',
      sender: publisherDid,
      id: genuine?.['correlationId'] ?? '',
    });
    expect(await quarantinedAs(after)).toBe('signer-mismatch');
    expect(running.sink.deliveries.some(({ body }) => body.includes('-9.00'))).toBe(false);
  });

  it('the bridge did not state it: its proof was made with another key', async () => {
    const after = running.lines.length;
    const stranger = generatePrivateKey();
    const event = breach(stranger);
    await postAsPublisher(event);
    expect(await quarantinedAs(after)).toBe('origin-not-allowed');
    expectNeverAlerted(event.id);
  });

  it('its proof claims to be the bridge’s but does not fit', async () => {
    const after = running.lines.length;
    const event = breach(originKey);
    const forged = { ...event, data: { ...event.data, tradingMargin: '-999.00' } };
    await postAsPublisher(forged);
    expect(await quarantinedAs(after)).toBe('origin-proof');
    expectNeverAlerted(event.id);
  });

  it('a gateway posted it that the subscriber does not trust on this channel', async () => {
    const { plan, brokerAdmin } = running.system;
    const environment = buildEnvironments(plan, publisherDid)['gateway-publisher'];
    const port = await freePort();
    const intruder = new AppProcess({
      name: 'gateway-intruder',
      app: APP_OF['gateway-publisher'],
      environment: { ...environment, PORT: String(port), DATA_FOLDER: `${running.folder}/gateway-intruder` },
      logFolder: `${running.folder}/logs`,
    });
    await intruder.start();
    const client = new GatewayClient({
      baseUrl: `http://127.0.0.1:${port}`,
      username: GATEWAY_USER,
      password: plan.secrets.gatewayPasswords.publisher,
      timeoutMs: 30_000,
      connections: 1,
    });
    try {
      const did = await enrolGateway(client, brokerAdmin);
      const event = breach(originKey);
      const message = {
        fqcn: CHANNEL,
        topic: TOPIC_OF[TYPE],
        payload: JSON.stringify(event),
        transactionId: event.id,
      };
      // Without rights on the channel the broker itself refuses.
      await expect(client.sendMessage(message)).rejects.toMatchObject({
        status: 401,
        kind: 'CHANNEL_UNAUTHORIZED',
      });
      await brokerAdmin.ensureChannel({ ...(await channel()), publishers: [publisherDid, did] });
      const after = running.lines.length;
      await waitFor('the broker to admit the new publisher', () =>
        client.sendMessage(message).then(
          () => true,
          () => false,
        ),
      );
      expect(await quarantinedAs(after)).toBe('sender-not-allowed');
      expectNeverAlerted(event.id);
    } finally {
      await client.close();
      await intruder.stop();
    }
  });

  it('it was sealed long before the bus took it', async () => {
    const after = running.lines.length;
    const { channel: fqcn, topic, signedat, proof, ...detected } = breach(originKey);
    expect([fqcn, topic, signedat, proof]).not.toContain(undefined);
    const event = sealEvent(detected, {
      channel: CHANNEL,
      topic: TOPIC_OF[TYPE],
      signedAt: new Date(Date.now() - 3_600_000),
      key: originKey,
    });
    await postAsPublisher(event);
    expect(await quarantinedAs(after)).toBe('stale');
    expectNeverAlerted(event.id);
  });
});

it('is all in the quarantine afterwards, and nothing of it in the archive', async () => {
  const list = async (...more: string[]): Promise<Readonly<Record<string, unknown>>[]> => {
    const command = [`${REPOSITORY_ROOT}/apps/subscriber/dist/src/archive.js`, '--json', ...more];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, DATABASE_URL: running.system.plan.databaseUrls.subscriber },
      maxBuffer: 64 * 1024 * 1024,
    });
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>[];
  };
  const quarantined = await list('--quarantine');
  expect(quarantined.map(({ reason }) => reason).sort()).toEqual(
    [
      'origin-not-allowed',
      'origin-proof',
      'sender-not-allowed',
      'signer-mismatch',
      'signer-mismatch',
      'stale',
    ].sort(),
  );
  const archived = await list();
  expect(archived.length).toBeGreaterThan(0);
  expect(archived.every((entry) => !JSON.stringify(entry).includes('2026-01-01T00:'))).toBe(true);
  expect(didOfKey(originKey)).toBe(running.system.plan.secrets.originDid);
});

async function channel(): Promise<{
  fqcn: string;
  topics: { namespace: string; schema: string }[];
  publishers: string[];
  subscribers: string[];
}> {
  const reader = running.system.gatewayClient('publisher');
  try {
    const found = (await reader.channels()).find(({ fqcn }) => fqcn === CHANNEL);
    return {
      fqcn: CHANNEL,
      topics: (found?.topics ?? []).map(({ namespace, schema }) => ({
        namespace: namespace ?? '',
        schema: schema ?? '',
      })),
      publishers: [...(found?.publishers ?? [])],
      subscribers: [...(found?.subscribers ?? [])],
    };
  } finally {
    await reader.close();
  }
}
