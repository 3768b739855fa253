import type { SchedulerRegistry } from '@nestjs/schedule';
import {
  BackfillStore,
  type QueueFaultReporting,
  type EventQueue,
  type RecordStore,
  type RedisConnection,
} from '@ssb/redis-queue';
import { AgreedClock, type Logger, type OutgoingConnections } from '@ssb/platform';
import type { ClientCertificate } from '@ssb/net';
import type { MarketInterface } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import { findRoute, listChannels, type DetectionSettings, type OperatorConfig } from '@ssb/config';
import type { KeySource } from '@ssb/keys';
import { BackfillDetections } from '../backfill/backfill-detections.js';
import { BackfillRunner } from '../backfill/backfill-runner.js';
import { type PollerClock, OPERATOR_CLOCKS } from '../clock.js';
import { createParticipantFaults } from '../create-participant-faults.js';
import { createPoller } from '../create-poller.js';
import type { HeldParticipant } from '../domain/participant-readiness.js';
import { FutureCalculationFaults } from '../future-calculation-faults.js';
import { Heartbeats } from '../heartbeats.js';
import type { LeaseShare } from '../lease/lease-share.js';
import { Lease } from '../lease/lease.js';
import type { Replicas } from '../lease/replicas.js';
import { openMarketClients, type MarketClients } from '../market/market-clients.js';
import type { ParticipantAccess } from '../market/participant-access.js';
import type { ParticipantFaults } from '../participant-faults.js';
import { ParticipantMetrics } from '../participant-metrics.js';
import { PollScheduler } from '../poll-scheduler.js';
import type { PollerMetrics } from '../poller-metrics.js';
import { describeLeftOut } from '../polls/answers.js';
import { LargeStatements } from '../records/large-statements.js';
import { pollIntervals } from '../poll-intervals.js';
import type { Settings } from '../settings.js';
import { pollerKeys } from '../state/poller-keys.js';
import { PollerStateStore } from '../state/poller-state.js';

/** What the participants of a replica share. */
export interface ParticipantDependencies {
  readonly settings: Settings;
  /** Unique name of this replica. */
  readonly holder: string;
  readonly redis: RedisConnection;
  readonly queue: EventQueue;
  readonly integrityKeys: KeySource;
  readonly connections: OutgoingConnections;
  readonly records: RecordStore;
  readonly share: LeaseShare;
  readonly replicas: Pick<Replicas, 'agreement'>;
  readonly registry: SchedulerRegistry;
  readonly clock: PollerClock;
  readonly reporting: QueueFaultReporting;
  readonly reporter: FaultReporter;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

export interface ParticipantOptions {
  readonly code: string;
  readonly access: ParticipantAccess;
  /** Presently valid; may change. */
  readonly config: () => OperatorConfig;
  readonly detection: () => DetectionSettings;
  /** Called after each check of the files of the access. */
  readonly onFileCheck: () => void;
}

/** One participant: its connections to the operator, its lease, its saved state and its polls. */
export class Participant {
  private started = false;

  private constructor(
    readonly code: string,
    private readonly parts: {
      readonly market: MarketClients;
      readonly lease: Lease;
      readonly faults: ParticipantFaults;
      readonly scheduler: PollScheduler;
      readonly metrics: ParticipantMetrics;
    },
  ) {}

  /** Opens the connections. @throws the errors of `openMarketClients` */
  static async open(
    { code, access, config, detection, onFileCheck }: ParticipantOptions,
    dependencies: ParticipantDependencies,
  ): Promise<Participant> {
    const { settings, redis, queue, connections, share, clock, records, registry, reporting } = dependencies;
    const log = dependencies.log.child({ participant: code });
    const metrics = new ParticipantMetrics(code, dependencies.metrics);
    const marketClock = new AgreedClock(clock);
    const now = (): Date => marketClock.now();
    const keys = pollerKeys(settings.QUEUE_PREFIX, code);
    const market = await openMarketClients(code, access, settings, {
      connections,
      redis,
      // After the end of the lease another replica reads the clock.
      onClockReading: (source, reading) => {
        if (lease.heldToken() !== undefined) clock.observe(source, reading);
      },
      metrics,
      log,
    }).catch((error: unknown) => {
      metrics.remove();
      throw error;
    });
    const lease = new Lease({
      redis,
      leaseKey: keys.lease,
      fenceKey: keys.fence,
      holder: dependencies.holder,
      ttlMs: settings.LEASE_TTL_MS,
      renewIntervalMs: settings.LEASE_TTL_MS * 0.3,
      acquireIntervalMs: settings.LEASE_TTL_MS * 0.1,
      sharing: {
        mayAcquire: () => share.begin(code),
        acquired: () => share.take(code),
        ended: () => {
          share.end(code);
          if (share.isEmpty) clock.forget(OPERATOR_CLOCKS);
        },
        mustHandOver: () => !scheduler.isBusy() && share.handOver(code),
      },
    });
    const state = new PollerStateStore({
      redis,
      keys,
      integrityKeys: dependencies.integrityKeys,
      onDiscarded: (discarded) => reporting.discardedState.report('poller-state', code, discarded),
    });
    const faults = createParticipantFaults(code, settings, {
      market,
      reporting,
      reporter: dependencies.reporter,
      config,
      now,
      log,
    });
    market.onFileCheck(() => {
      faults.check();
      onFileCheck();
    });
    const futureCalculations = new FutureCalculationFaults(code, dependencies.reporter);
    const heartbeats = new Heartbeats({
      participant: code,
      channels: () => listChannels(config()),
      intervalMs: settings.HEARTBEAT_INTERVAL_MS,
      pollIntervalMs: pollIntervals(settings),
      now,
      state,
      queue,
      metrics,
      log,
    });
    const largeStatements = new LargeStatements({
      routeOf: (type) => findRoute(config(), type),
      store: records,
      metrics: dependencies.metrics,
      log,
    });
    const poller = createPoller(code, settings, detection, {
      clock: marketClock,
      agreement: dependencies.replicas.agreement,
      market,
      state,
      queue,
      largeStatements,
      futureCalculations,
      metrics,
      log,
    });
    const store = new BackfillStore({
      redis,
      prefix: settings.QUEUE_PREFIX,
      participant: code,
      keys: dependencies.integrityKeys,
      onDiscarded: (discarded) => reporting.discardedState.report('backfill', code, discarded),
    });
    const backfill = new BackfillRunner({
      participant: code,
      store,
      detections: new BackfillDetections({
        participant: code,
        settings: detection,
        now,
        market,
        largeStatements,
      }),
      settings: detection,
      now,
      queue,
      hasSpareRequest: (name) => market.hasSpareRequest(name),
      requestIntervalMs: settings.BACKFILL_REQUEST_INTERVAL_MS,
      onQueued: (type) => metrics.shared.backfilled.inc({ type }),
      onLeftOut: (leftOut) => faults.showBackfill(describeLeftOut('backfill', leftOut)),
      log,
    });
    const scheduler = new PollScheduler({
      participant: code,
      settings,
      registry,
      poller,
      lease,
      state,
      faults,
      futureCalculations,
      heartbeats,
      backfill,
      now,
      metrics,
      log,
    });
    return new Participant(code, { market, lease, faults, scheduler, metrics });
  }

  /** Repeatable. */
  start(): void {
    if (this.started) return;
    this.started = true;
    this.parts.scheduler.start();
  }

  /** Starts no more polls. Requests that wait for the budget are given up. */
  stopPolls(): void {
    this.parts.scheduler.stopPolls();
    this.parts.market.stopWaiting();
  }

  /** Completes running polls, then releases the lease. */
  async stop(): Promise<void> {
    await this.parts.scheduler.stop();
  }

  /** Reports no more faults, because the participant is polled no longer. */
  endFaults(): void {
    this.parts.faults.end();
  }

  /** The client certificate in use; undefined without one. */
  certificate(name: MarketInterface | 'token'): ClientCertificate | undefined {
    return this.parts.market.connection(name).certificate;
  }

  /** Why changed files of the access are not used; empty when all are used. */
  refusals(): readonly unknown[] {
    return this.parts.market.refusals();
  }

  /** Closes the connections, after `stop`. */
  async close(): Promise<void> {
    await this.parts.market.close();
    this.parts.metrics.remove();
  }

  /** @throws Error when a poll loop does not run although this replica holds the lease */
  assertProgress(): void {
    this.parts.scheduler.assertProgress();
  }

  /** The present faults of the interfaces; empty without the lease. */
  held(): readonly HeldParticipant[] {
    this.parts.faults.check();
    return this.parts.faults.held();
  }
}
