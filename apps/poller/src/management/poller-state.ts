import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { SETTINGS } from '@ssb/platform';
import type { RedisConnection } from '@ssb/redis-queue';
import { Replicas } from '../lease/replicas.js';
import { PollerMetrics, type ObservedParticipant } from '../metrics/poller-metrics.js';
import { listPolledCodes } from '../participants/plan-participants.js';
import { REDIS } from '../redis.js';
import type { Settings } from '../settings.js';
import { pollerKeys } from '../state/poller-keys.js';

/** Requests that all replicas have sent within a period, and how many are allowed. */
interface BudgetState {
  readonly seconds: number;
  readonly requests: number;
  /** Absent while Redis does not respond. */
  readonly used?: number;
}

interface InterfaceState {
  readonly interface: MarketInterface;
  readonly lastSuccessAt?: Date;
  readonly budgets: readonly BudgetState[];
}

interface ParticipantState {
  readonly participant: string;
  /** The replica that polls it; absent while none does. */
  readonly leaseHolder?: string;
  /** Present in the state of the replica that polls it. */
  readonly interfaces?: readonly InterfaceState[];
}

export interface PollerState {
  /** Name of this replica, as in `leaseHolder`. */
  readonly replica: string;
  /** Replicas with the same participants. */
  readonly replicas: number;
  readonly participants: readonly ParticipantState[];
}

/** Who polls which participant, what succeeded last, and what is left of the request budgets. */
@Injectable()
export class PollerStateReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly config: OperatorConfigFile,
    private readonly replicas: Replicas,
    private readonly metrics: PollerMetrics,
  ) {}

  async read(): Promise<PollerState> {
    const codes = listPolledCodes(this.settings, this.config.current());
    const observed = new Map(this.metrics.observed.map((each) => [each.participant, each]));
    const participants = await Promise.all(
      codes.map((code) => this.readParticipant(code, observed.get(code))),
    );
    const { holder: replica, count } = this.replicas;
    return { replica, replicas: count, participants };
  }

  private async readParticipant(
    participant: string,
    observed: ObservedParticipant | undefined,
  ): Promise<ParticipantState> {
    const { lease } = pollerKeys(this.settings.QUEUE_PREFIX, participant);
    const leaseHolder = await this.redis.get(lease);
    const leads = observed?.holdsLease() === true;
    return {
      participant,
      ...(leaseHolder !== null && { leaseHolder }),
      ...(leads && { interfaces: await readInterfaces(observed) }),
    };
  }
}

function readInterfaces(observed: ObservedParticipant): Promise<readonly InterfaceState[]> {
  const budgets = new Map(observed.shownBudgets());
  return Promise.all(
    MARKET_INTERFACES.map(async (name): Promise<InterfaceState> => {
      const { windows = [], usage } = budgets.get(name) ?? {};
      const found = windows.length === 0 ? undefined : await usage?.get();
      const lastSuccess = observed.lastSuccess(name);
      return {
        interface: name,
        ...(lastSuccess !== undefined && { lastSuccessAt: new Date(lastSuccess) }),
        budgets: windows.map(({ requests, ms }) => {
          const used = found?.find((each) => each.ms === ms)?.used;
          return { seconds: ms / 1_000, requests, ...(used !== undefined && { used }) };
        }),
      };
    }),
  );
}
