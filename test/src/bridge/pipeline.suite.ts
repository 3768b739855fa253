import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFactEvent, type DetectedEvent } from '@ssb/events';
import { KEY_NAMES, KeyFolder } from '@ssb/keys';
import { toMarketDate } from '@ssb/market';
import { openDeadLetters, connectRedis } from '@ssb/redis-queue';
import { Redis } from 'ioredis';
import { runToEnd, waitFor } from '@ssb/testing';
import {
  APP_BY_PROCESS,
  importFromApps,
  listMetricNames,
  PROCESSES,
  REPOSITORY_ROOT,
  type AppMetrics,
} from '@ssb/tools';
import { apiOf } from '../harness/archive-api.js';
import { EVENT_STEPS, listSteps } from './event-steps.js';
import { collector, running } from './shared-system.js';

const DAY_MS = 24 * 3_600_000;

describe('a fact in the whole pipeline', () => {
  it('reaches the webhook with all 23 digits of a decimal(23,8)', async () => {
    const facts = await running.market.publishStatements(1, '123456789012345.12345678');
    await running.waitForDeliveries(facts);
    const body =
      running.receiver.deliveries.find(({ body: text }) => text.includes(facts[0]?.subject ?? '?'))?.body ??
      '';
    expect(body).toContain('"value":"123456789012345.12345678"');
    expect(body).toContain('"payment":"123456789012345.12345678"');
  });

  it('reaches the webhook as a summary when it is larger than a message of its channel', async () => {
    const facts = await running.market.publishStatements(1, '0.01', 12_400);
    await running.waitForDeliveries(facts);
    const [event] = facts.flatMap((fact) => running.findDeliveredEvents(fact));
    expect(event?.data).toMatchObject({
      totals: { payment: '124.00', charge: '0' },
      variablesSummary: { count: 12_400, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(event?.data).not.toHaveProperty('variables');
  });

  it('becomes one message and one alert when it is posted twice', async () => {
    const [fact] = await running.market.publishStatements(1);
    if (fact === undefined) throw new RangeError('a fact is required');
    await running.waitForDeliveries([fact]);
    const [event] = running.findDeliveredEvents(fact);
    const gateway = running.system.gatewayClient('publisher');
    const reader = running.system.gatewayClient('subscriber');
    try {
      const fqcn = 'settlement.channels.bridge.apps.participant.iam.market';
      // Heartbeats and changes of the timeline travel on the channel meanwhile.
      const readMessages = async () =>
        (await reader.readMessages({ fqcn, from: '1970-01-01T00:00:00Z', amount: 1_000 })).filter(
          ({ payload }) => (JSON.parse(payload) as { id?: unknown }).id === event?.id,
        );
      const [message] = await readMessages();
      expect(message).toBeDefined();
      if (message === undefined) return;
      const repeat = await gateway.sendMessage({
        fqcn,
        topic: message.topic,
        payload: message.payload,
        transactionId: message.transactionId,
      });
      expect(repeat.id).toBe(message.id);
      expect(await readMessages()).toHaveLength(1);
      expect(running.findDeliveredEvents(fact)).toHaveLength(1);
    } finally {
      await gateway.close();
      await reader.close();
    }
  });
});

describe('the trace of a margin breach', () => {
  it('has a span of each step, from the detection to the sink', async () => {
    const type = 'settlementbus.margin.breached.v1';
    await running.market.publishMargin('500000.00');
    await running.market.publishMargin('-123456.78');
    const findDelivery = () => running.receiver.deliveries.find(({ body }) => body.includes(type));
    await waitFor('the breach', () => findDelivery() !== undefined);
    const { body = '', traceparent: received } = findDelivery() ?? {};
    const { id, traceparent } = JSON.parse(body) as { id: string; traceparent: string };
    const [, traceId, rootSpanId] = traceparent.split('-');
    const findSpans = () => collector.spans.filter((span) => span.traceId === traceId);
    await waitFor(
      () => `a span of each step, not only ${listSteps(findSpans()).join(', ')}`,
      () => EVENT_STEPS.every((step) => listSteps(findSpans()).includes(step)),
    );
    // Each sink has a span, and the log's may come first. The webhook can continue the trace of its delivery.
    const isReceived = ({ spanId }: { readonly spanId: string }): boolean =>
      `00-${traceId}-${spanId}-01` === received;
    await waitFor('the span of the webhook', () =>
      findSpans().some((span) => span.name === 'event deliver' && isReceived(span)),
    );
    const spans = findSpans();
    expect(listSteps(spans).toSorted()).toEqual(EVENT_STEPS.toSorted());
    expect(spans.filter(({ failed }) => failed)).toEqual([]);
    const detection = spans.find(({ name }) => name === 'event detect');
    expect(detection?.spanId).toBe(rootSpanId);
    expect(detection?.attributes).toEqual({
      'cloudevents.event_id': id,
      'cloudevents.event_type': type,
      'cloudevents.event_subject': 'WPGENCO/prudential',
      'settlement_bus.participant': 'WPGENCO',
      'settlement_bus.outcome': 'detected',
    });
    // The sender's gateway and the receiver's one.
    const gateways = spans.filter(({ service }) => service === 'settlement-bus-bridge-gateway');
    expect(new Set(gateways.map(({ instance }) => instance)).size).toBe(2);
    expect(collector.server.received.map((request) => request.body).join()).not.toContain('123456.78');
  });
});

describe('a second poller', () => {
  it('stays idle, and takes over when the first one is killed; what both detect becomes one message and one alert', async () => {
    const first = running.system.process('poller');
    const second = await running.createReplica('poller', 'poller-second');
    const redis = new Redis(running.redis.url);
    const queuedBy = (app: string): unknown[] =>
      running.linesOf(app).flatMap((line) => (line.step === 'queued' ? [line['subject']] : []));
    await second.start();
    try {
      await running.waitForDeliveries(await running.market.publishStatements(2));
      expect(queuedBy('poller-second')).toEqual([]);

      await first.kill();
      const facts = await running.market.publishStatements(4);
      await running.waitForDeliveries(facts);
      const subjects = facts.map(({ subject }) => subject);
      // The line of an event can come after its delivery.
      await waitFor('the lines of the second poller', () =>
        subjects.every((subject) => queuedBy('poller-second').includes(subject)),
      );

      // The state is deleted, so the first poller detects the same facts again.
      await second.kill();
      const keys = await redis.keys('*poller*');
      expect(keys.length).toBeGreaterThan(0);
      await redis.del(...keys);
      await first.start();
      await waitFor('both pollers to detect every fact', () =>
        subjects.every((subject) => queuedBy('poller').includes(subject)),
      );
      // A later fact shows that all repeats have been processed.
      await running.waitForDeliveries(await running.market.publishStatements(1));
      for (const fact of facts) expect(running.findDeliveredEvents(fact)).toHaveLength(1);
      const ids = facts.flatMap((fact) =>
        running.findDeliveredEvents(fact).map(({ webhookId }) => webhookId),
      );
      const delivered = running.receiver.deliveries.filter(({ id }) => ids.includes(id));
      expect(delivered.map(({ attempts }) => attempts)).toEqual(facts.map(() => 1));
    } finally {
      await second.stop();
      if (!first.running) await first.start();
      redis.disconnect();
    }
  });
});

describe('busbridge backfill', () => {
  it('brings back what the archive has lost, with its alert, and repeats nothing else', async () => {
    const facts = await running.market.publishStatements(2);
    await running.waitForDeliveries(facts);
    const [id = '', other] = facts.map((fact) => running.findDeliveredEvents(fact)[0]?.id);
    const countDeliveries = (webhookId = ''): number =>
      running.receiver.deliveries.find((delivery) => delivery.id === webhookId)?.attempts ?? 0;
    await waitFor('the recorded results', async () => {
      const pending = 'SELECT 1 FROM subscriber.delivery WHERE event_id = $1 AND delivered_at IS NULL';
      return (await running.database.query(pending, [id])).length === 0;
    });
    for (const table of ['delivery', 'archive', 'inbox'])
      await running.database.query(`DELETE FROM subscriber.${table} WHERE event_id = $1`, [id]);
    const { status, stdout, stderr } = await runToEnd(
      join(REPOSITORY_ROOT, 'bundles', 'cli.js'),
      // The facts are of the day on which the suite began, which the market's midnight may have ended.
      ['backfill', '--from', toMarketDate(new Date(Date.now() - DAY_MS)), '--json'],
      apiOf(running.system),
    );
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^(WPGENCO: .*\n)*$/)]);
    const { types } = JSON.parse(stdout) as { types: { type: string; events: number }[] };
    expect(
      types.find(({ type }) => type === 'settlementbus.statement.published.v1')?.events,
    ).toBeGreaterThanOrEqual(2);
    await waitFor('the alert', () => countDeliveries(id) === 2);
    // Everything that was backfilled is archived before a later fact.
    await running.waitForDeliveries(await running.market.publishStatements(1));
    expect(countDeliveries(other)).toBe(1);
    const [row] = await running.database.query<{ text: string }>(
      'SELECT event AS text FROM subscriber.archive WHERE event_id = $1',
      [id],
    );
    expect(JSON.parse(row?.text ?? '')).toMatchObject({ id, backfilled: true });
  });
});

describe('busbridge problems', () => {
  it('lists the breach, acknowledges it through the running subscriber, and resends it', async () => {
    const run = async (...args: string[]): Promise<unknown> => {
      const { status, stdout, stderr } = await runToEnd(
        join(REPOSITORY_ROOT, 'bundles', 'cli.js'),
        args,
        apiOf(running.system),
      );
      expect([status, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    const { items: problems } = (await run('problems', 'list', '--kind', 'margin', '--json')) as {
      items: { id: string }[];
    };
    expect(problems).toMatchObject([{ state: 'open', severity: 'critical', worstMeasure: '-123456.78' }]);
    const id = problems[0]?.id ?? '';
    await run('problems', 'ack', id, '--comment', 'Cash is coming.', '--json');
    expect(await run('problems', 'show', id, '--json')).toMatchObject({
      state: 'acknowledged',
      acknowledgedBy: 'developer',
      changes: expect.arrayContaining([
        expect.objectContaining({ kind: 'opened', type: 'settlementbus.margin.breached.v1' }),
        expect.objectContaining({ kind: 'acknowledged', author: 'developer', comment: 'Cash is coming.' }),
      ]),
      deliveries: expect.arrayContaining([expect.objectContaining({ sink: 'treasury', state: 'delivered' })]),
    });
    await waitFor('the acknowledgement', () =>
      running.receiver.deliveries.some(
        ({ body }) =>
          body.includes('settlementbus.delivery.acknowledged.v1') && body.includes('Cash is coming.'),
      ),
    );
    const steps = await running.database.query(
      `SELECT step, author, database_role FROM subscriber.audit WHERE kind = 'acknowledge' ORDER BY audit_id`,
    );
    expect(steps).toEqual([
      { step: 'requested', author: 'developer', database_role: 'api' },
      { step: 'done', author: 'developer', database_role: 'api' },
    ]);
    const findDelivery = () =>
      running.receiver.deliveries.find(({ body }) => body.includes('margin.breached.v1'));
    const eventId = findDelivery()?.id ?? '';
    expect(
      await run('deliveries', 'resend', '--event', eventId, '--sink', 'treasury', '--json'),
    ).toMatchObject({ changed: 1 });
    await waitFor('the resent breach', () => findDelivery()?.attempts === 2);
    expect(await run('sinks', 'test', 'treasury', '--json')).toMatchObject({
      outcome: 'delivered',
      status: 204,
    });
  });
});

describe('Redis', () => {
  it('has only keys that begin with the prefix of the bridge or of the broker', async () => {
    const redis = new Redis(running.redis.url);
    const keys = await redis.keys('*');
    redis.disconnect();
    expect(keys.filter((key) => !/^(\{bridge\}|broker):/.test(key))).toEqual([]);
  });
});

describe('the logs of all apps', () => {
  it('contain no secret, token, key or payload', async () => {
    const facts = await running.market.publishStatements(1);
    await running.waitForDeliveries(facts);
    const logs = running.lines.map(({ line }) => JSON.stringify(line)).join('\n');
    const { secrets, webhook, databaseUrls } = running.system.plan;
    const keyFolder = new KeyFolder(dirname(secrets.encryptionSecretFile));
    const rings = await Promise.all(KEY_NAMES.map((name) => keyFolder.read(name)));
    const secretValues = [
      secrets.participantClient.secret,
      secrets.operatorClient.secret,
      ...Object.values(secrets.gateways).map(({ adminPassword }) => adminPassword),
      ...rings.flatMap(({ keys }) => keys.map(({ secret }) => secret)),
      webhook.secret,
      ...[secrets.encryptionSecretFile, secrets.tokenAdminFile, secrets.brokerTokenFile].map((file) =>
        readFileSync(file, 'utf8').trim(),
      ),
      ...Object.values(databaseUrls).map((url) => new URL(url).password),
    ];
    expect(secretValues.length).toBeGreaterThan(10);
    expect(secretValues.filter((secret) => secret.length < 16 || logs.includes(secret))).toEqual([]);
    // Parts of a JSON Web Token, a PEM key, credentials and an event payload.
    for (const forbidden of ['eyJ', 'PRIVATE KEY', 'Bearer ', 'Basic ', 'specversion'])
      expect(logs).not.toContain(forbidden);
    const silent = PROCESSES.filter((name) => running.linesOf(name).length === 0);
    // Publications come from the test itself.
    expect(silent).toEqual(['simulator']);
  });
});

describe('the users of docs/operate/databases.md in Redis', () => {
  it('permit everything that the apps did, except to read the configuration of Redis', async () => {
    const redis = new Redis(running.redis.url);
    try {
      const denied = new Set(((await redis.acl('LOG')) as unknown[][]).map(describeDenial));
      expect([...denied].toSorted()).toEqual([
        'broker: config|get',
        'bus-publisher: config|get',
        'poller: config|get',
      ]);
    } finally {
      redis.disconnect();
    }
  });

  it('permit the commands of busbridge', async () => {
    const { secrets, operatorConfig } = running.system.plan;
    const run = async (...args: string[]): Promise<unknown[]> => {
      const { status, stdout, stderr } = await runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), args, {
        ...running.redisUsers.busbridge,
        INTEGRITY_KEYS_FILE: secrets.integrityKeysFile,
        CONFIG_FILE: operatorConfig,
        SUBSCRIBER_URL: `http://localhost:${running.system.plan.ports.subscriber}`,
        ...apiOf(running.system),
      });
      expect([status, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as unknown[];
    };
    await run('records', 'list', '--json');
    const heartbeats = await run('heartbeat', '--json');
    expect(heartbeats).toHaveLength(3);
    for (const heartbeat of heartbeats)
      expect(heartbeat).toMatchObject({ participant: 'WPGENCO', verifiedMs: expect.any(Number) });
    const redis = connectRedis(running.redis.url, { name: 'rights' });
    const letters = openDeadLetters({ redis, keys: running.integrityKeys() });
    try {
      const event = breach();
      await letters.add(event, 'no channel');
      await letters.addRefused(
        { jobId: 'x', eventType: undefined, refusal: 'missing', reason: '' },
        'forged',
      );
      const { items: listed } = (await run('dead-letters', 'list', '--json')) as unknown as {
        items: { id: string; verified: boolean }[];
      };
      expect(listed).toContainEqual(expect.objectContaining({ id: event.id, verified: true }));
      const [outcome] = await run('dead-letters', 'retry', event.id, '--json');
      expect(outcome).toEqual({ id: event.id, outcome: 'queued' });
      const others = listed.map(({ id }) => id).filter((id) => id !== event.id);
      await run('dead-letters', 'remove', ...others, '--json');
      await waitFor('no dead letter', async () => (await letters.listIds()).length === 0);
    } finally {
      await letters.close();
      redis.disconnect();
    }
  });

  it.each([
    ['poller', 'broker:{channels}:records'],
    ['poller', '{bridge}:settlement-events-dead:meta'],
    ['bus-publisher', '{bridge}:poller:WPGENCO:state'],
    ['bus-publisher', '{bridge}:records:texts'],
    ['bus-publisher', 'broker:{roles}:holders'],
    ['broker', '{bridge}:settlement-events:meta'],
    ['busbridge', '{bridge}:records:texts'],
    ['busbridge', '{bridge}:poller:WPGENCO:state'],
  ] as const)('the user %s cannot write %s', async (user, key) => {
    const redis = connectRedis(running.redisUsers[user], { name: 'rights' });
    try {
      await expect(redis.hset(key, 'field', 'value')).rejects.toThrow(/^NOPERM/);
      await expect(redis.del(key)).rejects.toThrow(/^NOPERM/);
      for (const command of [
        'FLUSHALL',
        'CONFIG GET requirepass',
        'KEYS *',
        'ACL LIST',
        'MONITOR',
        'SHUTDOWN',
      ])
        await expect(redis.call(...(command.split(' ') as [string]))).rejects.toThrow(/^NOPERM/);
    } finally {
      redis.disconnect();
    }
  });
});

function breach(): DetectedEvent {
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
    'WPGENCO',
    { detectedAt: new Date(), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  );
}

function describeDenial(entry: readonly unknown[]): string {
  const field = (name: string): string => String(entry[entry.indexOf(name) + 1]);
  return `${field('username')}: ${field('object')}`;
}

describe('the metrics', () => {
  it('are those of docs/metrics.md', async () => {
    const { ports } = running.system.plan;
    const apps = await importFromApps<AppMetrics>('metrics');
    const processes = [
      'token',
      'reporting',
      'broker',
      'gateway-publisher',
      'gateway-subscriber',
      'subscriber',
      'bus-publisher',
      'poller',
    ] as const;
    for (const name of processes) {
      const port =
        `${name}-management` in ports ? ports[`${name}-management` as keyof typeof ports] : ports[name];
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const app = apps.find((each) => each.name === APP_BY_PROCESS[name]);
      const known = app && new Set(listMetricNames(app));
      const shown = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, metric = '']) => metric);
      expect([name, shown.filter((metric) => !known?.has(metric))]).toEqual([name, []]);
      expect(shown).toContain('settlement_bridge_app_info');
    }
  });

  it('have a latency for each hop', async () => {
    const facts = await running.market.publishStatements(1);
    await running.waitForDeliveries(facts);
    const { ports } = running.system.plan;
    for (const [port, histogram] of [
      [ports.poller, 'settlement_bridge_poller_detected_to_queued_seconds'],
      [ports['bus-publisher'], 'settlement_bridge_publisher_queue_wait_seconds'],
      [ports['bus-publisher'], 'settlement_bridge_publisher_detected_to_published_seconds'],
      [ports['gateway-publisher-management'], 'settlement_bus_gateway_broker_post_seconds'],
      [ports['broker-management'], 'settlement_bus_broker_accepted_to_appended_seconds'],
      [ports['broker-management'], 'settlement_bus_broker_appended_to_sent_seconds'],
      [ports.subscriber, 'settlement_bridge_subscriber_published_to_verified_seconds'],
      [ports.subscriber, 'settlement_bridge_subscriber_verified_to_delivered_seconds'],
      [ports.subscriber, 'settlement_bridge_subscriber_detected_to_delivered_seconds'],
    ] as const) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).toMatch(new RegExp(`^${histogram}_count(\\{.*\\})? [1-9]`, 'm'));
    }
  });
});
