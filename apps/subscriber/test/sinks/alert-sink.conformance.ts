import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IpNetworks, MAX_RESPONSE_TEXT_BYTES, type ClientConnection } from '@ssb/net';
import { createLogger, Metrics, OutgoingConnections } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { Deliverer } from '../../src/deliveries/deliverer.js';
import type { PendingDelivery } from '../../src/deliveries/outbox/pending-delivery.js';
import type { ConfiguredSink } from '../../src/deliveries/sinks/configured-sink.js';
import { SinkFactory } from '../../src/deliveries/sinks/sink-factory.js';
import { SubscriberMetrics } from '../../src/subscriber-metrics.js';
import { pendingDelivery } from '../support/pending-delivery.js';
import type { Behaviour, SinkAdapter, SinkReceiver } from './sink-adapter.js';

const CONCURRENCY = 2;
/** Texts of the market can have any character. */
const HOSTILE = 'WPGENCO/"a", \'b\'\\<script>&amp;\r\nBcc: x@example.org\r\n\r\n\u0007\u202e|*_`@all';

/** What every sink does, whatever its kind. */
export function describeAlertSink(adapter: SinkAdapter): void {
  describe(`a sink of kind ${adapter.kind}`, () => {
    let folder: string;
    let lines: Record<string, unknown>[];
    let receiver: SinkReceiver;
    let connections: OutgoingConnections;
    let sink: ConfiguredSink;
    let deliverer: Deliverer;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sink-'));
      lines = [];
      receiver = await adapter.start(lines);
      Object.entries(receiver.files).forEach((file) => write(...file));
    });
    afterEach(async () => {
      await close();
      await receiver.stop();
      rmSync(folder, { recursive: true });
    });

    async function close(): Promise<void> {
      await sink.close();
      await connections.onApplicationShutdown();
    }

    const write = (name: string, content: string): void => writeFileSync(join(folder, name), `${content}\n`);

    function open(change: { timeoutMs?: number; connection?: ClientConnection } = {}): void {
      const stream = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
      const log = createLogger({ name: 'test', level: 'debug', format: 'json', stream });
      const metrics = new Metrics();
      const settings = {
        ALERT_CONCURRENCY: CONCURRENCY,
        ALERT_RESPONSE_LIMIT_BYTES: 65_536,
        ALERT_RETRY_BASE_MS: 500,
        ALERT_RETRY_CAP_MS: 60_000,
        ALERT_TIMEOUT_MS: change.timeoutMs ?? 20_000,
        OPERATIONS_WEBHOOK_URL: undefined,
        OPERATIONS_WEBHOOK_SECRET: undefined,
        CONFIG_FILE: join(folder, 'bridge.yaml'),
        TLS_RELOAD_INTERVAL_MS: 20,
      };
      connections = new OutgoingConnections({ app: 'subscriber', settings, metrics, log });
      sink = new SinkFactory(settings, change.connection ?? {}, connections, log).open(receiver.config);
      const storedEvents = { verify: () => ({ ok: true }) as const, onUnverified: () => undefined };
      const backoff = { baseMs: 500, maxMs: 60_000 };
      deliverer = new Deliverer(backoff, storedEvents, new SubscriberMetrics(metrics), log);
    }

    async function deliver(change: Partial<PendingDelivery> = {}, signal = new AbortController().signal) {
      const { result } = await deliverer.attempt(sink, pendingDelivery(change), signal);
      return result;
    }

    const each = (...behaviours: Behaviour[]) => adapter.behaviours.filter((one) => behaviours.includes(one));
    const isRemote = adapter.behaviours.length > 1;

    it('delivers, and repeats a delivery with the same id', async () => {
      open();
      for (let attempt = 1; attempt <= 2; attempt += 1)
        expect((await deliver({ eventId: 'e1' })).verdict).toEqual({ kind: 'delivered' });
      expect(receiver.received.map(({ id }) => id)).toEqual(['e1', 'e1']);
    });

    it('delivers texts with any character as one message', async () => {
      open();
      await deliver({ eventId: 'e1', subject: HOSTILE });
      expect(receiver.received).toHaveLength(1);
      expect(receiver.received[0]).toMatchObject({ id: 'e1', subject: adapter.shows(HOSTILE) });
    });

    if (!isRemote) return;

    it.each(each('fail', 'close', 'hang'))('retries when the receiver shows "%s"', async (behaviour) => {
      open(behaviour === 'hang' ? { timeoutMs: 300 } : {});
      // The timeout limits the first reading of the files as well.
      await waitFor('the files', () => sink.isUsable);
      receiver.behaviour = behaviour;
      const expected = { fail: 'rejected', close: 'unreachable', hang: 'timeout' };
      const result = await deliver();
      expect([result.outcome, result.verdict.kind]).toEqual([
        expected[behaviour as keyof typeof expected],
        'failed',
      ]);
      await close();
      open();
      receiver.behaviour = 'accept';
      expect((await deliver()).verdict.kind).toBe('delivered');
    });

    it('is refused, or cannot be reached', async () => {
      open();
      receiver.behaviour = 'refuse';
      expect((await deliver()).verdict.kind).toBe('refused');
      await receiver.stop();
      expect((await deliver()).outcome).toBe('unreachable');
    });

    it('ends an attempt at once when it is aborted', async () => {
      open();
      receiver.behaviour = 'hang';
      const controller = new AbortController();
      const attempt = deliver({}, controller.signal);
      await waitFor('the request', () => receiver.received.length === 1);
      controller.abort();
      expect(await attempt).toMatchObject({ outcome: 'unreachable' });
      expect((await attempt).durationMs).toBeLessThan(15_000);
    });

    it('bounds the response that it reads, and the connections', async () => {
      open();
      receiver.behaviour = 'flood';
      const { response = '', outcome } = await deliver();
      expect(outcome).toBe('delivered');
      expect(Buffer.byteLength(response)).toBeLessThanOrEqual(MAX_RESPONSE_TEXT_BYTES);
      receiver.behaviour = 'accept';
      await Promise.all(Array.from({ length: 20 }, () => deliver()));
      // The receiver may not have noticed yet that the client has ended the connection of the flood.
      expect(receiver.connections).toBeLessThanOrEqual(CONCURRENCY + 2);
    });

    it('connects to no address outside of the allowed networks', async () => {
      const allowedNetworks = IpNetworks.parse(['10.0.0.0/8']);
      open({ connection: { allowedNetworks } });
      expect((await deliver()).outcome).toBe('network-not-allowed');
      expect(receiver.connections).toBe(0);
    });

    if (!adapter.hasFiles) return;

    it('reads its files again, keeps what it had, and shows no secret', async () => {
      const [[name, content] = ['', '']] = Object.entries(receiver.files);
      rmSync(join(folder, name));
      open();
      expect(await deliver()).toMatchObject({ outcome: 'unreachable', verdict: { kind: 'failed' } });
      expect(sink.fileProblems).toHaveLength(1);
      write(name, content);
      await waitFor('the file', () => sink.isUsable && sink.fileProblems.length === 0);
      receiver.behaviour = 'echo';
      const echoed = await deliver();
      write(name, `${content}\u0000`);
      await waitFor('the refusal', () => sink.fileProblems.length === 1);
      receiver.behaviour = 'accept';
      expect((await deliver()).outcome).toBe('delivered');
      const visible = JSON.stringify([echoed, lines, sink.fileProblems.map(String)]);
      expect(echoed.response).toContain('***');
      for (const secret of Object.values(receiver.files)) expect(visible).not.toContain(secret);
    });
  });
}
