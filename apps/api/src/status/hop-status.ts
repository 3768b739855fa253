import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import {
  healthResponse,
  pollerState,
  publisherState,
  type HealthResponse,
  type PollerState,
} from '../hops/hop-responses.js';
import { ADDRESS_SETTINGS, HOP_APPS, Hops, type Hop } from '../hops/hops.js';
import type { HopFault, HopStatus, PollingStatus, QueueStatus } from './status-dto.js';

const MAX_FAULTS = 100;
const MAX_CERTIFICATES = 100;
const MAX_PARTICIPANTS = 500;
/** `/health` responds with it while the app is not ready. */
const NOT_READY = 503;

/** What the other apps show of themselves. */
export interface HopsStatus {
  readonly hops: readonly HopStatus[];
  readonly polling: readonly PollingStatus[];
  readonly queue: QueueStatus | undefined;
}

/** Reads the management ports of all apps at once. */
@Injectable()
export class HopStatusReader {
  constructor(private readonly hops: Hops) {}

  async read(): Promise<HopsStatus> {
    const [apps, pollers, publishers] = await Promise.all([
      Promise.all(HOP_APPS.map((app) => this.readApp(app))),
      this.readStates('poller', pollerState),
      this.readStates('bus-publisher', publisherState),
    ]);
    const found = apps.flat();
    const faults = found.flatMap(({ health }) => health?.faults ?? []);
    const queue = publishers.find((state) => state.queue !== undefined)?.queue;
    return {
      hops: found.map(({ status }) => status),
      polling: mergePolling(pollers, faults),
      queue: queue && toQueue(queue),
    };
  }

  private async readApp(app: Hop['app']): Promise<{ status: HopStatus; health?: HealthResponse }[]> {
    const hops = this.hops.of(app);
    const nothing = { checks: [], faults: [], furtherFaults: 0, certificates: [] };
    if (hops.length === 0) {
      const detail = `${ADDRESS_SETTINGS[app]} is not set.`;
      return [{ status: { app, name: app, state: 'not-configured', detail, ...nothing } }];
    }
    return Promise.all(
      hops.map(async (hop) => {
        const request = { path: '/health', isQuick: true, alsoStatus: NOT_READY } as const;
        const result = await hop.request(healthResponse, request);
        const { name } = hop;
        if (result.outcome === 'done')
          return { status: { app, name, ...describeHealth(result.value) }, health: result.value };
        const detail = `The ${name} ${result.detail}.`;
        return { status: { app, name, state: 'unreachable' as const, detail, ...nothing } };
      }),
    );
  }

  private async readStates<T extends z.ZodType>(app: Hop['app'], schema: T): Promise<z.output<T>[]> {
    const results = await Promise.all(
      this.hops.of(app).map((hop) => hop.request(schema, { path: '/state', isQuick: true })),
    );
    return results.flatMap((result) => (result.outcome === 'done' ? [result.value] : []));
  }
}

function describeHealth({ status, version, checks, faults, certificates }: HealthResponse) {
  const oldestFirst = faults.toSorted((one, other) => one.since.localeCompare(other.since));
  return {
    state: status,
    version,
    checks: Object.entries(checks).map(([name, check]) => ({
      name,
      isUp: check.status === 'up',
      message: check.message,
    })),
    faults: oldestFirst.slice(0, MAX_FAULTS),
    furtherFaults: Math.max(0, faults.length - MAX_FAULTS),
    certificates: certificates
      .toSorted((one, other) => one.daysLeft - other.daysLeft)
      .slice(0, MAX_CERTIFICATES)
      .map((each) => ({ ...each, daysLeft: Math.floor(each.daysLeft) })),
  };
}

/** Every replica knows all leases, and the one that polls a participant knows the rest. */
export function mergePolling(
  states: readonly PollerState[],
  faults: readonly HopFault[],
): readonly PollingStatus[] {
  const found = new Map<string, PollingStatus>();
  for (const { participants } of states)
    for (const { participant, leaseHolder, interfaces = [] } of participants) {
      const known = found.get(participant);
      found.set(participant, {
        participant,
        leaseHolder: leaseHolder ?? known?.leaseHolder,
        interfaces:
          interfaces.length === 0
            ? (known?.interfaces ?? [])
            : interfaces.map((each) => ({
                interface: each.interface,
                lastSuccessAt: each.lastSuccessAt,
                failingSince: failingSince(participant, each.interface, faults),
                budgets: each.budgets.map(({ seconds, requests, used }) => ({
                  seconds,
                  requests,
                  left: used === undefined ? undefined : Math.max(0, requests - used),
                })),
              })),
      });
    }
  return [...found.values()].slice(0, MAX_PARTICIPANTS);
}

function failingSince(participant: string, name: string, faults: readonly HopFault[]): string | undefined {
  return faults
    .filter((fault) => fault.participant === participant && fault.interface === name)
    .map(({ since }) => since)
    .sort()[0];
}

function toQueue(
  queue: Omit<QueueStatus, 'oldestWaitingSeconds'> & { oldestWaitingSeconds: number },
): QueueStatus {
  const { waiting, active, delayed, oldestWaitingSeconds, deadLetters, unverifiedDeadLetters } = queue;
  return {
    waiting,
    active,
    delayed,
    oldestWaitingSeconds: Math.floor(oldestWaitingSeconds),
    deadLetters,
    unverifiedDeadLetters,
  };
}
