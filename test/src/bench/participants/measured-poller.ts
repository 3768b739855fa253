import { stringify } from 'yaml';
import { generateSecret } from '@ssb/platform';
import { startTestRedis } from '@ssb/testing';
import { AppProcess, type LogLine, type ResourceStack } from '@ssb/tools';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@ssb/dev/free-ports';
import type { TlsMaterial } from '@ssb/net';
import type { MarketAccount, MarketServices } from '../../harness/market-services.js';
import { readMemoryUsage, readProcessorMs } from '../process-usage.js';

const MINUTE_MS = 60_000;
const CHANNEL = 'all.channels.bridge.apps.participant.iam.market';

/** A participant of the played day. */
export interface PlayedParticipant {
  readonly code: string;
  readonly account: MarketAccount;
  readonly tls: TlsMaterial;
}

/** The defaults of the poller, divided by the speed. */
function intervalsAt(speed: number): Record<string, string> {
  const defaults = {
    POLL_PRUDENTIAL_INTERVAL_MS: 15_000,
    POLL_SETTLEMENT_INTERVAL_MS: 10_000,
    TIMELINE_INTERVAL_MS: 360 * MINUTE_MS,
    SETTLEMENT_DUE_INTERVAL_MS: 30_000,
    SETTLEMENT_COMMENCED_INTERVAL_MS: 60 * MINUTE_MS,
    SETTLEMENT_EARLY_INTERVAL_MS: 1_440 * MINUTE_MS,
    SETTLEMENT_OVERDUE_INTERVAL_MS: 360 * MINUTE_MS,
    SETTLEMENT_RETRY_INTERVAL_MS: MINUTE_MS,
    SETTLEMENT_RECHECK_INTERVAL_MS: 60 * MINUTE_MS,
    SETTLEMENT_LATER_RECHECK_INTERVAL_MS: 1_440 * MINUTE_MS,
    HEARTBEAT_INTERVAL_MS: MINUTE_MS,
  };
  return Object.fromEntries(
    Object.entries(defaults).map(([name, ms]) => [name, String(Math.max(100, Math.round(ms / speed)))]),
  );
}

/** One poller process for these participants, with a Redis of its own. */
export class MeasuredPoller {
  private constructor(
    private readonly process: AppProcess,
    private readonly metricsUrl: string,
  ) {}

  static async start(
    participants: readonly PlayedParticipant[],
    services: MarketServices,
    { folder, speed, resources }: { folder: string; speed: number; resources: ResourceStack },
    onLog: (line: LogLine) => void,
  ): Promise<MeasuredPoller> {
    const redis = await startTestRedis();
    await resources.defer(() => redis.stop());
    const access = join(folder, 'access');
    mkdirSync(access, { recursive: true });
    const write = (name: string, content: string): string => {
      writeFileSync(join(access, name), content, { mode: 0o600 });
      return join(access, name);
    };
    const ca = write('ca.pem', String(participants[0]?.tls.ca ?? ''));
    const config = {
      defaults: { margin: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' } },
      participants: participants.map(({ code, account, tls }) => ({
        code,
        access: {
          clientId: account.clientId,
          clientSecretFile: write(`${code}.secret`, account.clientSecret),
          certFile: write(`${code}.pem`, String(tls.cert)),
          keyFile: write(`${code}.key`, String(tls.key)),
        },
      })),
      routes: [{ types: ['*'], channel: CHANNEL }],
      senders: [],
      alerts: {
        unattended: true,
        sinks: [{ name: 'console', kind: 'console' }],
        rules: [{ types: ['*'], sinks: ['console'], alert: true }],
      },
    };
    const [port] = await freePorts(1);
    const { baseUrl } = services.clientOptions({});
    const process = new AppProcess({
      name: 'poller',
      app: 'poller',
      logFolder: join(folder, 'logs'),
      onLog: (_, line) => onLog(line),
      environment: {
        PORT: String(port),
        REDIS_URL: redis.url,
        CONFIG_FILE: write('bridge.yaml', stringify(config)),
        INTEGRITY_KEYS_FILE: write('integrity.keys', generateSecret()),
        TOKEN_URL: services.tokenUrl,
        TOKEN_CA_FILE: ca,
        PRUDENTIAL_URL: baseUrl,
        SETTLEMENT_URL: baseUrl,
        REPORTING_CA_FILE: ca,
        // The windows of the budgets are in real time.
        PRUDENTIAL_REQUESTS_PER_MINUTE: '0',
        PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '0',
        ...intervalsAt(speed),
      },
    });
    await resources.defer(() => process.stop());
    await process.start();
    return new MeasuredPoller(process, `http://127.0.0.1:${port}/metrics`);
  }

  /** Processor time so far, milliseconds. */
  get processorMs(): number {
    return readProcessorMs(this.process.pid ?? 0);
  }

  memory(): { readonly resident: number; readonly highest: number } {
    const [usage] = readMemoryUsage([{ name: 'poller', pid: this.process.pid }]);
    return usage ?? { resident: NaN, highest: NaN };
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }

  /** The sum of all series of a metric. */
  async sum(metric: string): Promise<number> {
    const text = await (await fetch(this.metricsUrl)).text();
    const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}
