import { createTestDatabase, startTestRedis, type TestDatabase, type TestRedis, waitFor } from '@ssb/testing';
import {
  APP_OF,
  AppProcess,
  buildEnvironments,
  EventTraces,
  freeSystemPorts,
  type LogLine,
  type ProcessName,
  Progress,
  SecretsFolder,
  System,
  type SystemOptions,
  toWebhookSecret,
  WebhookReceiver,
} from '@ssb/tools';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Market } from './market.js';
import { type AppLine, type Fact, whereTheRoadStopped } from './where-the-road-stopped.js';

export const PARTICIPANT = 'WPGENCO';

/** A whole system in a throw-away folder: real processes, a real Redis and PostgreSQL, a real webhook receiver. No simulator: tests play the market. */
export class RunningSystem {
  readonly traces = new EventTraces();
  readonly lines: AppLine[] = [];
  /** Parsed bodies by webhook id: tests look at all of them a hundred times a second. */
  private readonly parsed = new Map<string, DeliveredEvent>();

  private constructor(
    readonly folder: string,
    readonly redis: TestRedis,
    readonly database: TestDatabase,
    readonly sink: WebhookReceiver,
  ) {}

  system!: System;
  market!: Market;

  static async start(overrides: SystemOptions['overrides'] = {}): Promise<RunningSystem> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-test-'));
    const secret = new SecretsFolder(join(folder, 'secrets')).value('webhook.secret', toWebhookSecret);
    const running = new RunningSystem(
      folder,
      await startTestRedis(),
      await createTestDatabase(),
      new WebhookReceiver(secret),
    );
    try {
      running.system = await System.start({
        folder,
        ports: await freeSystemPorts(),
        redisUrl: running.redis.url,
        databaseAdminUrl: running.database.adminUrl,
        webhook: { url: await running.sink.start(), secret },
        progress: new Progress(() => undefined),
        participant: PARTICIPANT,
        pollIntervalMs: 500,
        overrides,
        onLog: (app, line) => running.note(app, line),
      });
      running.market = new Market(running.system.plan);
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /** One more process of an app, with the settings of the first but its own port. The caller starts and stops it. */
  async replicaOf(
    first: ProcessName,
    name: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<AppProcess> {
    const gateway = this.system.gatewayClient('publisher');
    try {
      const { did } = await gateway.enrolment();
      return new AppProcess({
        name,
        app: APP_OF[first],
        environment: { ...buildEnvironments(this.system.plan, did)[first], PORT: '0', ...more },
        logFolder: join(this.folder, 'logs'),
        onLog: (app, line) => this.note(app, line),
      });
    } finally {
      await gateway.close();
    }
  }

  /** Waits until the webhook receiver has every one of these events. */
  async delivered(
    expected: readonly { readonly type: string; readonly subject: string }[],
    timeoutMs = 60_000,
  ): Promise<void> {
    await waitFor(
      () => `every delivery:\n${whereTheRoadStopped(this.missing(expected), this.traces, this.lines)}`,
      () => this.missing(expected).length === 0,
      timeoutMs,
    );
  }

  /** What the receiver holds of one fact. */
  deliveriesOf(type: string, subject: string): readonly DeliveredEvent[] {
    return this.events().filter((event) => event.type === type && event.subject === subject);
  }

  /** Every event that the receiver holds, once for each webhook id. */
  events(): readonly DeliveredEvent[] {
    return this.sink.deliveries.map(({ id, body }) => {
      const event = this.parsed.get(id) ?? { ...(JSON.parse(body) as DeliveredEvent), webhookId: id };
      this.parsed.set(id, event);
      return event;
    });
  }

  async stop(): Promise<void> {
    await this.market?.close();
    await this.system?.stop();
    await this.sink.stop();
    await this.redis.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private missing(expected: readonly { readonly type: string; readonly subject: string }[]): readonly Fact[] {
    const keyOf = ({ type, subject }: Fact): string => `${type} ${subject}`;
    const delivered = new Set(this.events().map(keyOf));
    return expected.filter((fact) => !delivered.has(keyOf(fact)));
  }

  private note(app: string, line: LogLine): void {
    this.lines.push({ app, line });
    this.traces.note(line);
  }
}

export interface DeliveredEvent {
  readonly webhookId: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly detectedat: string;
  readonly data: Readonly<Record<string, unknown>>;
}
