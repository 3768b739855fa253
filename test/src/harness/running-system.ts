import { FixedKeys, parseKeyRing } from '@ssb/keys';
import { createTestDatabase, type TestDatabase, type TestRedis, waitFor } from '@ssb/testing';
import {
  APP_BY_PROCESS,
  AppProcess,
  buildEnvironments,
  type EventTrace,
  EventTraces,
  ensureWebhookSecrets,
  reserveSystemPorts,
  getLastStep,
  type LogLine,
  matchInOrder,
  type ProcessName,
  PROCESSES,
  Progress,
  REPOSITORY_ROOT,
  System,
  type SystemOptions,
  WebhookReceiver,
} from '@ssb/tools';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_RUNTIME } from './app-runtime.js';
import { type Fact, Market } from './market.js';
import { type RedisWithUsers, startRedisWithUsers } from './redis-users.js';

export const PARTICIPANT = 'WPGENCO';
const ALERTS_SINCE = "alertsSince: '2020-01-01T00:00:00+08:00'";

export interface RunningSystemOptions extends Pick<SystemOptions, 'pollIntervalMs' | 'scenario'> {
  /** Changes the text of `config/bridge.yaml`. Default: facts of the past alert, too. */
  readonly editConfig?: (shipped: string) => string;
}

const alertPast = (shipped: string): string =>
  shipped.replace(/^ +- code: WPGENCO$/m, `$&\n    ${ALERTS_SINCE}`);

export interface AppLine {
  readonly app: string;
  readonly line: LogLine;
}

/** The body of a delivery, parsed. */
export interface DeliveredEvent {
  readonly webhookId: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly detectedat: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Settings of the test take precedence. */
function mergeOverrides(
  { poller, broker, 'bus-publisher': publisher }: RunningSystem['redisUsers'],
  overrides: SystemOptions['overrides'] = {},
): SystemOptions['overrides'] {
  const redis: SystemOptions['overrides'] = { poller, broker, 'bus-publisher': publisher };
  return Object.fromEntries(
    PROCESSES.map((name) => [name, { ...APP_RUNTIME, ...redis[name], ...overrides[name] }]),
  );
}

/** A whole system in a temporary folder, with real processes, Redis, PostgreSQL and webhook receiver. Tests replace the simulator. */
export class RunningSystem {
  readonly traces = new EventTraces();
  readonly lines: AppLine[] = [];
  private readonly linesByApp = new Map<string, LogLine[]>();
  /** Parsed bodies by webhook id. Tests read all of them a hundred times per second. */
  private readonly parsedEvents = new Map<string, DeliveredEvent>();

  private constructor(
    readonly folder: string,
    readonly redis: TestRedis,
    /** Settings of the users of docs/operate/databases.md, with which the apps run. */
    readonly redisUsers: RedisWithUsers['users'],
    readonly database: TestDatabase,
    readonly receiver: WebhookReceiver,
  ) {}

  system!: System;
  market!: Market;

  static async start(
    overrides: SystemOptions['overrides'] = {},
    { editConfig = alertPast, ...options }: RunningSystemOptions = {},
  ): Promise<RunningSystem> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-test-'));
    const secrets = ensureWebhookSecrets(folder);
    // A test can change its copy.
    const operatorConfig = join(folder, 'bridge.yaml');
    const shipped = readFileSync(join(REPOSITORY_ROOT, 'config/bridge.yaml'), 'utf8');
    writeFileSync(operatorConfig, editConfig(shipped));
    const { redis, users } = await startRedisWithUsers(folder);
    const running = new RunningSystem(
      folder,
      redis,
      users,
      await createTestDatabase(),
      new WebhookReceiver(secrets.alerts, secrets.operations),
    );
    try {
      const url = await running.receiver.start();
      running.system = await System.start({
        folder,
        ports: await reserveSystemPorts(),
        redis: { REDIS_URL: running.redis.url },
        databaseAdminUrl: running.database.adminUrl,
        webhook: { url, secret: secrets.alerts },
        operationsWebhook: { url, secret: secrets.operations },
        progress: new Progress(() => undefined),
        participant: PARTICIPANT,
        operatorConfig,
        pollIntervalMs: 500,
        ...options,
        overrides: mergeOverrides(running.redisUsers, overrides),
        onLog: (app, line) => running.record(app, line),
      });
      running.market = new Market(running.system.plan);
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /** Another process of an app, with the settings of the first except its port. The caller starts and stops it. */
  async createReplica(
    original: ProcessName,
    name: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<AppProcess> {
    const gateway = this.system.gatewayClient('publisher');
    try {
      const { did } = await gateway.enrolment();
      return new AppProcess({
        name,
        app: APP_BY_PROCESS[original],
        environment: {
          ...buildEnvironments(this.system.plan, did)[original],
          PORT: '0',
          MANAGEMENT_PORT: '0',
          ...settings,
        },
        logFolder: join(this.folder, 'logs'),
        onLog: (app, line) => this.record(app, line),
      });
    } finally {
      await gateway.close();
    }
  }

  /** The keys that authenticate jobs and state. */
  integrityKeys(): FixedKeys {
    return new FixedKeys(parseKeyRing(readFileSync(this.system.plan.secrets.integrityKeysFile, 'utf8')));
  }

  /** Waits until an app has logged a step of each of these facts, then ends their runs. */
  async waitForDetection(facts: readonly Fact[]): Promise<void> {
    await waitFor('the detection of every fact', () => {
      const subjects = new Set(this.traces.all().map(({ subject }) => subject));
      return facts.every(({ subject }) => subjects.has(subject));
    });
    await this.market.endRuns(facts);
  }

  /** Waits until the webhook receiver has every one of these events. */
  async waitForDeliveries(expected: readonly Fact[], timeoutMs = 60_000): Promise<void> {
    await waitFor(
      () => `every delivery:\n${this.describeMissing(expected)}`,
      () => this.findDelivered(expected).every((event) => event !== undefined),
      timeoutMs,
    );
  }

  /** Delivered events of one fact. */
  findDeliveredEvents({ type, subject }: Fact): readonly DeliveredEvent[] {
    return this.deliveredEvents().filter((event) => event.type === type && event.subject === subject);
  }

  /** All delivered events, once for each webhook id. */
  deliveredEvents(): readonly DeliveredEvent[] {
    return this.receiver.deliveries.map(({ id, body }) => {
      const event = this.parsedEvents.get(id) ?? { ...(JSON.parse(body) as DeliveredEvent), webhookId: id };
      this.parsedEvents.set(id, event);
      return event;
    });
  }

  async stop(): Promise<void> {
    await this.market?.close();
    await this.system?.stop();
    await this.receiver.stop();
    await this.redis.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The delivered event of each fact. Facts of one type and subject have different events. */
  private findDelivered(expected: readonly Fact[]): readonly (DeliveredEvent | undefined)[] {
    return matchInOrder(expected, this.deliveredEvents());
  }

  private describeMissing(expected: readonly Fact[]): string {
    const delivered = this.findDelivered(expected);
    const missing = this.traces.match(expected).filter((_, index) => delivered[index] === undefined);
    return describeMissing(missing, this.lines);
  }

  /** The lines of one process. */
  linesOf(name: string): readonly LogLine[] {
    return this.linesByApp.get(name) ?? [];
  }

  private record(app: string, line: LogLine): void {
    this.lines.push({ app, line });
    const lines = this.linesByApp.get(app) ?? [];
    this.linesByApp.set(app, lines);
    lines.push(line);
    this.traces.record(line);
  }
}

const MAX_SHOWN_LINES = 4;
const WARN_LEVEL = 40;

/**
 * Describes a timeout: the last step of each missing fact, the last warnings of each app, and the last lines.
 * @param missing the traces of these facts
 */
function describeMissing(missing: readonly (EventTrace | undefined)[], lines: readonly AppLine[]): string {
  const countByStep = new Map<string, number>();
  for (const trace of missing) {
    const step = (trace && getLastStep(trace)) ?? 'nowhere';
    countByStep.set(step, (countByStep.get(step) ?? 0) + 1);
  }
  const counts = [...countByStep].map(([step, count]) => `${count} last seen ${step}`).join(', ');
  return [`${missing.length} not delivered: ${counts}`, ...formatLastLines(lines)].join('\n');
}

function formatLastLines(lines: readonly AppLine[]): string[] {
  const warningsByApp = new Map<string, string[]>();
  for (const { app, line } of lines) {
    const isWarning =
      Number(line['level']) >= WARN_LEVEL || ['warn', 'error', 'fatal'].includes(String(line['level']));
    if (!isWarning) continue;
    const warnings = [...(warningsByApp.get(app) ?? []), `  ${app}: ${JSON.stringify(line)}`];
    warningsByApp.set(app, warnings.slice(-MAX_SHOWN_LINES));
  }
  const lastLines = lines
    .slice(-MAX_SHOWN_LINES)
    .map(({ app, line }) => `  last line, ${app}: ${JSON.stringify(line)}`);
  return [...[...warningsByApp.values()].flat(), ...lastLines];
}
