import { Inject, Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { findParticipant, listChannels, OperatorConfigFile, type DetectionSettings } from '@ssb/config';
import type { DocumentStore } from '@ssb/documents';
import { FaultReporter } from '@ssb/faults';
import type { KeyRingFile } from '@ssb/keys';
import { AgreedClock, ClockMonitor, LOGGER, OutgoingConnections, SETTINGS, type Logger } from '@ssb/platform';
import {
  QueueFaultReporting,
  type DiscardedValue,
  type EventQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import { BackfillRunner } from '../backfill/backfill-runner.js';
import { DocumentFetcher } from '../documents/document-fetcher.js';
import { DocumentFetches } from '../documents/document-fetches.js';
import { DocumentTransfers } from '../documents/document-transfers.js';
import { DOCUMENTS } from '../documents/documents.provider.js';
import { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import { ParticipantFaults } from '../faults/participant-faults.js';
import { Lease } from '../lease/lease.js';
import type { LeaseShare } from '../lease/lease-share.js';
import { Replicas } from '../lease/replicas.js';
import { openMarketClients } from '../market/market-clients.js';
import type { ParticipantAccess } from '../market/participant-access.js';
import { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import type { PollerClock } from '../poller-clock.js';
import { DetectionRecorder } from '../polls/detection-recorder.js';
import { overdueAfterMs, pollIntervals, settlementLimits, timerIntervals } from '../polls/poll-intervals.js';
import { PrudentialPoll } from '../polls/prudential-poll.js';
import { SettlementPoll } from '../polls/settlement-poll.js';
import { UnreadableLog } from '../polls/unreadable-log.js';
import { LargeStatements } from '../records/large-statements.js';
import { INTEGRITY_KEYS, QUEUE, REDIS } from '../redis.js';
import type { Settings } from '../settings.js';
import { pollerKeys } from '../state/poller-keys.js';
import { PollerStateStore } from '../state/poller-state-store.js';
import { StatementVariables } from '../state/statement-variables.js';
import { Heartbeats } from './heartbeats.js';
import { ParticipantPoller } from './participant-poller.js';
import { PollOutcomes } from './poll-outcomes.js';
import { PollTimers } from './poll-timers.js';

export interface ParticipantPollerOptions {
  readonly code: string;
  readonly access: ParticipantAccess;
  /** Returns the current detection settings. */
  readonly detection: () => DetectionSettings;
  /** Which leases this replica may hold. */
  readonly share: LeaseShare;
  /** Called after each check of the files of the access. */
  readonly onFileCheck: () => void;
}

/** Composes the poller of each participant from the objects of the process. */
@Injectable()
export class ParticipantPollerFactory {
  private readonly transfers: DocumentTransfers;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    @Inject(DOCUMENTS) private readonly documents: DocumentStore | undefined,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly config: OperatorConfigFile,
    private readonly connections: OutgoingConnections,
    private readonly largeStatements: LargeStatements,
    private readonly replicas: Replicas,
    private readonly registry: SchedulerRegistry,
    private readonly faults: FaultReporter,
    private readonly faultReporting: QueueFaultReporting,
    private readonly metrics: PollerMetrics,
  ) {
    this.transfers = new DocumentTransfers(settings.DOCUMENT_STORE_MAX_BYTES);
  }

  /**
   * Connects a participant to the operator, with its lease, its saved state and its polls.
   * @throws the errors of `openMarketClients`
   */
  async open(options: ParticipantPollerOptions): Promise<ParticipantPoller> {
    const { code: participant, access, detection, share } = options;
    const { settings, redis, queue, integrityKeys, config, faultReporting, largeStatements } = this;
    const { QUEUE_PREFIX: prefix } = settings;
    const log = this.log.child({ participant });
    const metrics = new ParticipantMetrics(participant, this.metrics);
    const clock = new AgreedClock(this.clock);
    const now = (): Date => clock.now();
    const keys = pollerKeys(prefix, participant);

    const { holder, agreement } = this.replicas;
    const lease = new Lease({ redis, keys, participant, holder, share, ttlMs: settings.LEASE_TTL_MS });
    const market = await openMarketClients(participant, access, settings, {
      connections: this.connections,
      redis,
      // After the end of the lease another replica reads the clock.
      onClockReading: (source, reading) => {
        if (lease.heldToken() !== undefined) this.clock.observe(source, reading);
      },
      metrics,
      log,
    }).catch((error: unknown) => {
      metrics.remove();
      throw error;
    });

    const reportDiscarded = faultReporting.discardedState;
    const onDiscarded = (discarded: readonly DiscardedValue[]): void =>
      reportDiscarded.report('poller-state', participant, discarded);
    const store = new PollerStateStore({
      redis,
      keys,
      integrityKeys,
      onDiscarded,
    });
    const statementVariables = new StatementVariables({
      redis,
      keys,
      integrityKeys,
      currentServer: store.currentServer,
      onDiscarded,
      log,
    });
    const recorder = new DetectionRecorder({ participant, now, store, queue, metrics, log });
    const unreadableLog = new UnreadableLog(metrics, log);
    const common = {
      participant,
      settings: detection,
      now,
      market,
      store,
      recorder,
      unreadableLog,
      queue,
      metrics,
      log,
    };

    const futureCalculations = new FutureCalculationFaults(participant, this.faults);
    const prudential = new PrudentialPoll({
      ...common,
      clock,
      agreement,
      recoveryDays: settings.PRUDENTIAL_RECOVERY_DAYS,
      futureCalculations,
    });

    const limits = settlementLimits(settings);
    const fetcher =
      this.documents &&
      new DocumentFetcher({
        ...common,
        documents: this.documents,
        transfers: this.transfers,
        maxBytes: settings.DOCUMENT_MAX_BYTES,
        metrics: this.metrics,
      });
    const documents = fetcher && new DocumentFetches({ ...common, fetcher, schedule: limits.schedule });
    const settlement = new SettlementPoll({
      ...common,
      ...limits,
      largeStatements,
      statementVariables,
      documents,
    });

    const faults = new ParticipantFaults({
      participant,
      reporter: this.faults,
      now,
      connection: (name) => market.connection(name),
      listLastingTopics: () => faultReporting.listLastingTopics(),
      onReadFailure: (err) => log.error({ err }, 'fault state read failed'),
      isNamed: () => findParticipant(config.current(), participant) !== undefined,
      overdueAfterMs: overdueAfterMs(settings),
    });
    market.onFileCheck(() => {
      faults.check();
      options.onFileCheck();
    });
    const outcomes = new PollOutcomes({ ...common, settings, detection, lease, faults, prudential });

    const heartbeats = new Heartbeats({
      ...common,
      channels: () => listChannels(config.current()),
      intervalMs: settings.HEARTBEAT_INTERVAL_MS,
      pollIntervalMs: pollIntervals(settings),
    });
    const backfill = new BackfillRunner({
      ...common,
      redis,
      prefix,
      integrityKeys,
      largeStatements,
      fetcher,
      requestIntervalMs: settings.BACKFILL_REQUEST_INTERVAL_MS,
      faults,
      onDiscarded: (discarded) => reportDiscarded.report('backfill', participant, discarded),
    });

    return new ParticipantPoller({
      settings,
      timers: new PollTimers(participant, timerIntervals(settings), this.registry),
      lease,
      market,
      polls: { prudential, settlement },
      outcomes,
      faults,
      futureCalculations,
      heartbeats,
      backfill,
      metrics,
      log,
    });
  }
}
