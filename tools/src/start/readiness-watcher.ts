import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { LinePrinter } from '../report/event-lines.js';
import { ReadinessLines } from '../report/readiness-lines.js';
import type { Ports } from '../system/processes.js';

const appHealth = z.object({
  checks: z.record(z.string(), z.object({ status: z.enum(['up', 'down']), message: z.string().optional() })),
  faults: z.array(z.object({ detail: z.string() })),
});

const BRIDGE = ['subscriber', 'bus-publisher', 'poller'] as const;
const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 5_000;

/** Reads `/health` of the bridge's apps regularly, and prints a line when one becomes unready or ready again. */
export class ReadinessWatcher {
  private readonly stopping = new AbortController();
  private readonly lines: ReadinessLines;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly ports: Ports,
    printer: LinePrinter,
  ) {
    this.lines = new ReadinessLines(printer);
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await Promise.all(BRIDGE.map((app) => this.probe(app)));
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** An app that does not respond has ended or is starting, which is reported elsewhere. */
  private async probe(app: (typeof BRIDGE)[number]): Promise<void> {
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(`http://127.0.0.1:${this.ports[app]}/health`, { signal });
      const health = appHealth.parse(await response.json());
      if (!this.stopping.signal.aborted) this.lines.record(app, health);
    } catch {
      return;
    }
  }
}
