import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { renderRow } from '@ssb/platform';
import type { LinePrinter } from '../report/event-lines.js';
import type { Ports } from '../system/processes.js';

const appHealth = z.object({
  checks: z.record(z.string(), z.object({ status: z.enum(['up', 'down']), message: z.string().optional() })),
  faults: z.array(z.object({ detail: z.string() })),
});

export type AppHealth = z.output<typeof appHealth>;

/** The port of `/health` of each app of the bridge. */
const HEALTH_PORTS = {
  subscriber: 'subscriber',
  'bus-publisher': 'bus-publisher',
  poller: 'poller',
  api: 'api-management',
} as const satisfies Readonly<Record<string, keyof Ports>>;
type BridgeApp = keyof typeof HEALTH_PORTS;
const BRIDGE = Object.keys(HEALTH_PORTS) as readonly BridgeApp[];
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
  private async probe(app: BridgeApp): Promise<void> {
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(`http://127.0.0.1:${this.ports[HEALTH_PORTS[app]]}/health`, { signal });
      const health = appHealth.parse(await response.json());
      if (!this.stopping.signal.aborted) this.lines.record(app, health);
    } catch {
      return;
    }
  }
}

/** One failed probe can be a restart of a component. */
const MIN_PROBES = 2;
/** A reason with another age or count is the same reason. */
const NUMBERS = /\d+/g;
const READINESS_WIDTHS = [17, 27];

/** Shows the changes of the readiness of each app. */
export class ReadinessLines {
  private readonly shown = new Map<string, string>();
  private readonly failedProbes = new Map<string, number>();

  constructor(private readonly printer: LinePrinter) {}

  /** Prints a line when the failing checks or their reasons have changed. */
  record(app: string, health: AppHealth): void {
    const failing = listFailing(health);
    const probes = failing.length === 0 ? 0 : (this.failedProbes.get(app) ?? 0) + 1;
    this.failedProbes.set(app, probes);
    const reasons = failing.map(({ name, message }) => `${name}: ${message}`).join('  ');
    const compared = reasons.replace(NUMBERS, '0');
    if (compared === (this.shown.get(app) ?? '') || (probes > 0 && probes < MIN_PROBES)) return;
    this.shown.set(app, compared);
    if (failing.length === 0) this.printer.writeLine(renderRow([`   ${app}`, 'ready'], READINESS_WIDTHS));
    else this.printer.writeAlert(renderRow([`!! ${app}`, 'not ready', reasons], READINESS_WIDTHS));
  }
}

/** The checks that are down, without those whose reason is shown as a fault. */
function listFailing({ checks, faults }: AppHealth): { name: string; message: string }[] {
  return Object.entries(checks).flatMap(([name, { status, message = '' }]) =>
    status === 'up' || faults.some(({ detail }) => message.includes(detail)) ? [] : [{ name, message }],
  );
}
