import {
  concernsAccess,
  GatewayClient,
  readGatewayAccess,
  type GatewayAccess,
  type GatewayAccessProblem,
  type GatewayAccessSubject,
  type GatewayClientOptions,
  type RequiredAccess,
} from '@ssb/bus';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from './fault-reporter.js';

export interface GatewayAccessMonitorOptions {
  readonly gateway: Omit<GatewayClientOptions, 'timeoutMs' | 'connections' | 'retries'>;
  /** What the app needs now. */
  readonly required: () => RequiredAccess;
  /** Between two checks. */
  readonly intervalMs: number;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
}

/** Timeout of one request; a check sends up to three, one after the other. */
const TIMEOUT_MS = 5_000;
/** Between two checks while the gateway is unreachable. */
const UNREACHABLE_INTERVAL_MS = 5_000;
/** Between two checks that failed requests of the app cause. */
const MIN_INTERVAL_MS = 1_000;
/** A restarting gateway is unreachable for one check, which is not a fault. */
const MIN_UNREACHABLE_CHECKS = 2;

/**
 * Checks regularly that the gateway accepts the app's user and its own identity, and permits the configured channels. The result is a
 * readiness check, and each problem is a fault.
 */
export class GatewayAccessMonitor {
  private readonly client: GatewayClient;
  private readonly problems = new Map<string, GatewayAccessProblem>();
  /** Why the readiness is unknown; undefined after the first complete check. */
  private unchecked: string | undefined = 'The gateway is not checked yet.';
  private unreachableChecks = 0;
  private timer: NodeJS.Timeout | undefined;
  private check: Promise<void> | undefined;
  /** Number of changes of what the app needs. */
  private changes = 0;
  private channels: readonly string[];
  private checkedAt = -Infinity;
  private stopped = false;

  constructor(private readonly options: GatewayAccessMonitorOptions) {
    // Connections of its own: requests of the app that wait must not delay a check.
    this.client = new GatewayClient({ ...options.gateway, timeoutMs: TIMEOUT_MS, connections: 1 });
    this.channels = options.required().channels;
  }

  start(): void {
    this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.check;
    await this.client.close();
  }

  /** Checks soon when the error of a request can mean that the access has changed. */
  reportFailure(error: unknown): void {
    if (concernsAccess(error)) this.reportConnection(false);
  }

  /** Checks soon when a connection contradicts the last result. */
  reportConnection(connected: boolean): void {
    const hasProblems = this.problems.size > 0;
    if (connected === hasProblems && this.check === undefined)
      this.schedule(this.checkedAt + this.minIntervalMs - performance.now());
  }

  /** What the app needs has changed: checks now. Channels that it does not need any more are not checked. */
  requirementsChanged(): void {
    const { required, faults } = this.options;
    const { channels } = required();
    for (const channel of this.channels.filter((each) => !channels.includes(each))) {
      const subject = { reason: 'channel-not-permitted', channel } as const;
      this.problems.delete(keyOf(subject));
      faults.forget({ ...subject, participant: ALL_PARTICIPANTS });
    }
    this.channels = channels;
    this.changes += 1;
    if (this.check === undefined) this.schedule(0);
  }

  /** @throws Error with the sentence of each problem that is not partial */
  assertAccess(): void {
    const problems = [...this.problems.values()].filter(({ isPartial }) => isPartial !== true);
    if (problems.length > 0) throw new Error(problems.map(({ detail }) => detail).join(' '));
    if (this.unchecked !== undefined) throw new Error(this.unchecked);
  }

  /** Whether the last check found that the gateway permits the channel. */
  permits(channel: string): boolean {
    if (this.unchecked !== undefined || this.unreachableChecks > 0) return false;
    return !this.problems.has(keyOf({ reason: 'channel-not-permitted', channel }));
  }

  private get minIntervalMs(): number {
    return Math.min(MIN_INTERVAL_MS, this.options.intervalMs);
  }

  private schedule(delayMs: number): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), Math.max(0, delayMs));
  }

  private run(): void {
    const { changes } = this;
    this.check = readGatewayAccess(this.client, this.options.required()).then((access) => {
      this.check = undefined;
      this.checkedAt = performance.now();
      if (this.stopped) return;
      // The check was about something else.
      if (changes !== this.changes) return this.run();
      this.record(access);
      const { intervalMs } = this.options;
      this.schedule(this.unreachableChecks > 0 ? Math.min(UNREACHABLE_INTERVAL_MS, intervalMs) : intervalMs);
    });
  }

  private record({ problems, confirmed, postponed }: GatewayAccess): void {
    const { faults } = this.options;
    if (postponed === undefined) this.unchecked = undefined;
    else if (this.unchecked !== undefined) this.unchecked = postponed;
    const isUnreachable = problems.some(({ reason }) => reason === 'gateway-unreachable');
    this.unreachableChecks = isUnreachable ? this.unreachableChecks + 1 : 0;
    for (const problem of problems) {
      this.problems.set(keyOf(problem), problem);
      if (isUnreachable && this.unreachableChecks < MIN_UNREACHABLE_CHECKS) continue;
      const { reason, channel, detail } = problem;
      faults.raise({
        reason,
        participant: ALL_PARTICIPANTS,
        detail,
        ...(channel !== undefined && { channel }),
      });
    }
    for (const subject of confirmed) {
      this.problems.delete(keyOf(subject));
      faults.clear({ ...subject, participant: ALL_PARTICIPANTS });
    }
  }
}

function keyOf({ reason, channel = '' }: GatewayAccessSubject): string {
  return `${reason} ${channel}`;
}
