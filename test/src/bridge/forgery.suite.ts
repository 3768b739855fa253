import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { signEvent, createFactEvent, TOPIC_BY_EVENT_TYPE, type SignedEvent } from '@ssb/events';
import { freePort } from '@ssb/dev/free-ports';
import {
  canonicalJson,
  didOfKey,
  generatePrivateKey,
  parsePrivateKey,
  signMessage,
  type PrivateKey,
} from '@ssb/identity';
import { parseOriginKeyRing } from '@ssb/keys';
import { readSecretFile, readEncryptedFile } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { APP_BY_PROCESS, AppProcess, buildEnvironments, GATEWAY_ADMIN, enrolGateway } from '@ssb/tools';
import { GatewayClient } from '@ssb/bus';
import { running } from './shared-system.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const TYPE = 'settlementbus.margin.breached.v1';

const GENUINE_MARGIN = '"tradingMargin":"-3.00"';

const DETECTION = { detectedAt: new Date(), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

let redis: Redis;
let originKey: PrivateKey;
let publisherDid: string;
let sequence = 0;

/** A forged breach with a proof of the given key. Each call uses another calculation. */
function forgeBreach(key: PrivateKey): SignedEvent {
  sequence += 1;
  const calculatedAt = `2026-01-01T00:${String(sequence).padStart(2, '0')}:00`;
  const event = createFactEvent(
    {
      type: 'settlementbus.margin.breached.v1',
      data: {
        tradingDay: '2026-01-01T00:00:00',
        calculatedAt,
        level: 'BREACHED',
        previousLevel: 'OK',
        tradingMargin: '-1.00',
        thresholds: { warning: '2.00', breach: '0.00', hysteresis: '1.00' },
      },
    },
    'WPGENCO',
    DETECTION,
  );
  return signEvent(event, { channel: CHANNEL, topic: TOPIC_BY_EVENT_TYPE[TYPE], signedAt: new Date(), key });
}

interface ForgedMessage {
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly id: string;
}

/** Key of the channel's message log. A channel that is created again has another log. */
async function getLogKey(): Promise<string> {
  const record = await redis.hget('broker:{channels}:records', CHANNEL);
  const { createdDateTime } = JSON.parse(record ?? '{}') as { createdDateTime?: string };
  return `broker:{${CHANNEL}}:${Date.parse(createdDateTime ?? '')}:log`;
}

/** Writes to the log as a compromised broker would, without its checks. */
async function appendToLog({ payload, signature, sender, id }: ForgedMessage): Promise<void> {
  const fields = { topic: TOPIC_BY_EVENT_TYPE[TYPE], sender, signature, payload, correlationId: id };
  await redis.xadd(await getLogKey(), '*', ...Object.entries(fields).flat());
  await redis.publish('broker:appended', CHANNEL);
}

/** Posts through the publisher's gateway, as any client with its password can. */
async function postAsPublisher(event: SignedEvent, transactionId: string = event.id): Promise<void> {
  const gateway = running.system.gatewayClient('publisher');
  await gateway.sendMessage({
    fqcn: CHANNEL,
    topic: TOPIC_BY_EVENT_TYPE[TYPE],
    payload: JSON.stringify(event),
    transactionId,
  });
  await gateway.close();
}

/** The reason of the first quarantine after the given number of log lines. */
async function getQuarantineReason(lineCount: number): Promise<unknown> {
  const { line } = await waitFor('the quarantined message', () =>
    running.lines
      .slice(lineCount)
      .find(({ app, line }) => app === 'subscriber' && line.step === 'quarantined'),
  );
  return line['reason'];
}

function expectNeverAlerted(id: string): void {
  expect(running.receiver.has(id)).toBe(false);
  expect(running.lines.filter(({ line }) => line['eventId'] === id && line.step === 'delivered')).toEqual([]);
}

describe('forged messages', () => {
  beforeAll(async () => {
    redis = new Redis(running.redis.url);
    const { originKeyFile, encryptionSecretFile } = running.system.plan.secrets;
    const content = await readEncryptedFile(originKeyFile, await readSecretFile(encryptionSecretFile));
    originKey = parsePrivateKey(parseOriginKeyRing(content).activeAt(new Date()).secret);
    const gateway = running.system.gatewayClient('publisher');
    publisherDid = (await gateway.enrolment()).did;
    await gateway.close();
  });

  afterAll(() => redis.disconnect());

  describe('a message is quarantined with a specific reason, and never alerted, when', () => {
    it('another key signed it', async () => {
      const lineCount = running.lines.length;
      const event = forgeBreach(originKey);
      const payload = JSON.stringify(event);
      await appendToLog({
        payload,
        signature: signMessage(payload, generatePrivateKey()),
        sender: publisherDid,
        id: event.id,
      });
      expect(await getQuarantineReason(lineCount)).toBe('signer-mismatch');
      expectNeverAlerted(event.id);
    });

    it('one byte of its payload was changed', async () => {
      // A genuine message of the publisher's gateway is read from the log, changed, and appended again.
      await running.market.publishMargin('500000.00');
      await running.market.publishMargin('-3.00');
      await waitFor('the genuine event', () =>
        running
          .deliveredEvents()
          .some(({ type, data }) => type === TYPE && data['tradingMargin'] === '-3.00'),
      );
      const lineCount = running.lines.length;
      const entries = await redis.xrevrange(await getLogKey(), '+', '-', 'COUNT', 50);
      const toEntry = ([, fields]: [string, string[]]): Record<string, string> =>
        Object.fromEntries(
          fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] ?? '']] : [])),
        );
      const genuine = entries
        .map(toEntry)
        .find(({ payload = '', sender }) => sender === publisherDid && payload.includes(GENUINE_MARGIN));
      expect(genuine).toBeDefined();
      const payload = (genuine?.['payload'] ?? '').replace(GENUINE_MARGIN, '"tradingMargin":"-9.00"');
      expect(payload).not.toBe(genuine?.['payload']);
      await appendToLog({
        payload,
        signature: genuine?.['signature'] ?? '',
        sender: publisherDid,
        id: genuine?.['correlationId'] ?? '',
      });
      expect(await getQuarantineReason(lineCount)).toBe('signer-mismatch');
      expect(running.receiver.deliveries.some(({ body }) => body.includes('-9.00'))).toBe(false);
    });

    it('its proof was made with another key than the bridge’s', async () => {
      const lineCount = running.lines.length;
      const event = forgeBreach(generatePrivateKey());
      await postAsPublisher(event);
      expect(await getQuarantineReason(lineCount)).toBe('origin-not-allowed');
      expectNeverAlerted(event.id);
    });

    it('its data does not match the bridge’s proof', async () => {
      const lineCount = running.lines.length;
      const event = forgeBreach(originKey);
      const forged = { ...event, data: { ...event.data, tradingMargin: '-999.00' } };
      await postAsPublisher(forged);
      expect(await getQuarantineReason(lineCount)).toBe('origin-proof');
      expectNeverAlerted(event.id);
    });

    it('its gateway is not trusted by the subscriber on this channel', async () => {
      const { plan, brokerAdmin } = running.system;
      const environment = buildEnvironments(plan, publisherDid)['gateway-publisher'];
      const port = await freePort();
      const otherGateway = new AppProcess({
        name: 'gateway-other',
        app: APP_BY_PROCESS['gateway-publisher'],
        environment: {
          ...environment,
          PORT: String(port),
          MANAGEMENT_PORT: '0',
          DATA_DIR: `${running.folder}/gateway-other`,
        },
        logFolder: `${running.folder}/logs`,
      });
      await otherGateway.start();
      const client = new GatewayClient({
        baseUrl: `http://127.0.0.1:${port}`,
        username: GATEWAY_ADMIN,
        password: plan.secrets.gateways.publisher.adminPassword,
        timeoutMs: 30_000,
        connections: 1,
      });
      try {
        const did = await enrolGateway(client, brokerAdmin);
        const event = forgeBreach(originKey);
        const message = {
          fqcn: CHANNEL,
          topic: TOPIC_BY_EVENT_TYPE[TYPE],
          payload: JSON.stringify(event),
          transactionId: event.id,
        };
        // Without publish permission, the broker rejects the message.
        await expect(client.sendMessage(message)).rejects.toMatchObject({
          status: 401,
          kind: 'CHANNEL_UNAUTHORIZED',
        });
        await brokerAdmin.ensureChannel({ ...(await readChannel()), publishers: [publisherDid, did] });
        const lineCount = running.lines.length;
        await waitFor('the broker to accept the new publisher', () =>
          client.sendMessage(message).then(
            () => true,
            () => false,
          ),
        );
        expect(await getQuarantineReason(lineCount)).toBe('sender-not-allowed');
        expectNeverAlerted(event.id);
      } finally {
        await client.close();
        await otherGateway.stop();
      }
    });
  });

  it('a genuine event that was signed long before the bus accepted it is alerted, marked late', async () => {
    const { channel: fqcn, topic, signedat, proof, ...detected } = forgeBreach(originKey);
    expect([fqcn, topic, signedat, proof]).not.toContain(undefined);
    const event = signEvent(detected, {
      channel: CHANNEL,
      topic: TOPIC_BY_EVENT_TYPE[TYPE],
      signedAt: new Date(Date.now() - 3_600_000),
      key: originKey,
    });
    await postAsPublisher(event);
    const { line } = await waitFor('the alert', () =>
      running.lines.find(({ line }) => line['eventId'] === event.id && line.step === 'delivered'),
    );
    expect(line['marks']).toEqual(['late']);
  });

  it('a client of the same gateway cannot suppress an event by posting under its id before', async () => {
    // The margin is BREACHED since an earlier test, so the id of the next event follows from the figures of the calculation.
    const calculatedAt = running.market.nextCalculation();
    const tradingDay = `${calculatedAt.slice(0, 10)}T00:00:00`;
    const amounts = { outstandingAmount: '1000.00', tradingMargin: '500000.00' };
    // The digest does not depend on the spelling of times and amounts.
    const times = { tradingDay: `${tradingDay}.000`, calculatedAt: `${calculatedAt}.000` };
    const figures = { ...times, isForecast: false, outstandingAmount: '1000', tradingMargin: '500000' };
    const digest = createHash('sha256').update(canonicalJson(figures)).digest('hex');
    const thresholds = {
      warning: '250000.00',
      breach: '0.00',
      hysteresis: '25000.00',
      method: 'amount',
    } as const;
    const data = { tradingDay, calculatedAt, ...amounts, digest, thresholds, transition: 0 };
    const { id } = createFactEvent(
      {
        type: 'settlementbus.margin.restored.v1',
        data: { ...data, level: 'OK', previousLevel: 'BREACHED' },
      },
      'WPGENCO',
      DETECTION,
    );
    const lineCount = running.lines.length;
    await postAsPublisher(forgeBreach(generatePrivateKey()), id);
    expect(await getQuarantineReason(lineCount)).toBe('origin-not-allowed');
    await running.market.publishMargin('500000.00', calculatedAt);
    await waitFor('the genuine event', () => running.deliveredEvents().some((event) => event.id === id));
  });

  it('all forged messages are in the quarantine, and none is in the archive', async () => {
    const quarantined = await running.database.query<{ reason: string }>(
      'SELECT reason FROM subscriber.quarantine ORDER BY reason',
    );
    expect(quarantined.map(({ reason }) => reason)).toEqual([
      'origin-not-allowed',
      'origin-not-allowed',
      'origin-proof',
      'sender-not-allowed',
      'signer-mismatch',
      'signer-mismatch',
    ]);
    const archived = await running.database.query<{ event: string; marks: readonly string[] }>(
      'SELECT event, marks FROM subscriber.archive',
    );
    const fabricated = archived.filter(({ event }) => event.includes('2026-01-01T00:'));
    // Only the genuine event that was signed long before.
    expect(fabricated.map(({ marks }) => marks)).toEqual([['late']]);
    expect(didOfKey(originKey)).toBe(running.system.plan.secrets.originDid);
  });
});

async function readChannel(): Promise<{
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
