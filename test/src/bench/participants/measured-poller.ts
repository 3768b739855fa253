import { generateSecret } from '@ssb/platform';
import { startTestRedis } from '@ssb/testing';
import type { ResourceStack } from '@ssb/tools';
import { type MarketPoller, startMarketPoller } from '../../harness/market-poller.js';
import type { MarketParticipant, MarketServices } from '../../harness/market-services.js';
import { readMemoryUsage, readProcessorMs } from '../process-usage.js';

const MINUTE_MS = 60_000;

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
  private constructor(private readonly poller: MarketPoller) {}

  static async start(
    name: string,
    participants: readonly MarketParticipant[],
    services: MarketServices,
    { speed, resources }: { speed: number; resources: ResourceStack },
  ): Promise<MeasuredPoller> {
    const redis = await startTestRedis();
    await resources.defer(() => redis.stop());
    const poller = await startMarketPoller(services, {
      name,
      market: services.market,
      participants,
      redisUrl: redis.url,
      integrityKeysFile: services.writeFile('integrity.keys', generateSecret()),
      settings: intervalsAt(speed),
    });
    await resources.defer(() => poller.process.stop());
    return new MeasuredPoller(poller);
  }

  /** Processor time so far, milliseconds. */
  get processorMs(): number {
    return readProcessorMs(this.poller.process.pid ?? 0);
  }

  memory(): { readonly resident: number; readonly highest: number } {
    const [usage] = readMemoryUsage([{ name: 'poller', pid: this.poller.process.pid }]);
    return usage ?? { resident: NaN, highest: NaN };
  }

  stop(): Promise<void> {
    return this.poller.process.stop();
  }

  /** The sum of all series of a metric. */
  async sum(metric: string): Promise<number> {
    const text = await (await fetch(this.poller.metricsUrl)).text();
    const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}
