import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import { FaultReporter, UnusableFilesFault } from '@ssb/faults';
import { ClockMonitor, Liveness, LOGGER, Readiness, SETTINGS, type Logger } from '@ssb/platform';
import { explainUnready } from '../faults/participant-readiness.js';
import { LeaseShare, shareOf } from '../lease/lease-share.js';
import { Replicas } from '../lease/replicas.js';
import { digestSettings, type SettingsDigests } from '../lease/settings-agreement.js';
import { SettingsDifferenceFaults } from '../lease/settings-difference-faults.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import { OPERATOR_CLOCKS, type PollerClock } from '../poller-clock.js';
import type { Settings } from '../settings.js';
import { ConfiguredParticipant } from './configured-participant.js';
import { ParticipantPollerFactory } from './participant-poller-factory.js';
import type { ParticipantPoller } from './participant-poller.js';
import { planParticipants, type PlannedParticipant } from './plan-participants.js';

/**
 * The participants that this replica polls. Each has its own lease, connections and polls, so that a fault of one does not delay the others. Replicas
 * with the same participants share the leases equally.
 */
@Injectable()
export class Participants {
  /** By code: those of CONFIG_FILE, and removed ones whose polls have not ended. */
  private readonly participants = new Map<string, ConfiguredParticipant>();
  private readonly share: LeaseShare;
  private readonly differences: SettingsDifferenceFaults;
  private retryTimer: NodeJS.Timeout | undefined;
  private agreementTimer: NodeJS.Timeout | undefined;
  private started = false;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(ClockMonitor) clock: PollerClock,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly config: OperatorConfigFile,
    private readonly replicas: Replicas,
    private readonly factory: ParticipantPollerFactory,
    private readonly faults: FaultReporter,
    metrics: PollerMetrics,
    readiness: Readiness,
    liveness: Liveness,
  ) {
    this.share = new LeaseShare(
      () => shareOf(this.usable().length, replicas.count),
      () => clock.forget(OPERATOR_CLOCKS),
    );
    const toleratedMs = 2 * settings.CONFIG_RELOAD_INTERVAL_MS;
    this.differences = new SettingsDifferenceFaults(replicas.agreement, faults, toleratedMs);
    config.onChange((changed) => this.change(planParticipants(settings, changed)));
    metrics.observeReplicas(() => replicas.count);
    readiness.register('participants', () => this.assertReady());
    liveness.register('polls', () => {
      for (const poller of this.pollers()) poller.assertProgress();
    });
  }

  /**
   * Opens the connections of all participants. A participant whose files cannot be used is reported, and opened again regularly.
   * @throws the errors of `openMarketClients`, when the files of the settings cannot be used
   */
  async open(): Promise<void> {
    const planned = planParticipants(this.settings, this.config.current());
    await Promise.all(planned.map((each) => this.participantOf(each.code).open(each)));
  }

  /** Polls for those whose leases this replica acquires. */
  start(): void {
    const { replicas, settings } = this;
    // The share of this replica is known before it acquires a lease.
    void replicas
      .start(
        () => this.usable().flatMap(({ code, isRemoved }) => (isRemoved ? [] : [code])),
        () => this.digestSettings(),
      )
      .then(() => {
        this.started = true;
        for (const participant of this.participants.values()) participant.start();
      });
    this.agreementTimer = setInterval(() => {
      for (const { code, isRemoved } of this.participants.values())
        if (isRemoved) this.differences.forget(code);
        else this.differences.check(code);
    }, settings.LEASE_TTL_MS * 0.3);
    this.retryTimer = setInterval(() => {
      for (const participant of this.participants.values()) void participant.retry();
    }, settings.TLS_RELOAD_INTERVAL_MS);
  }

  /** Applies a new participant list. Each participant changes by itself, because the running polls of another may last long. */
  private change(planned: readonly PlannedParticipant[]): void {
    if (this.stopping) return;
    const changed = new Map(planned.map((each) => [each.code, each]));
    for (const code of new Set([...this.participants.keys(), ...changed.keys()])) {
      const participant = this.participantOf(code);
      void participant.change(changed.get(code)).then(() => {
        if (participant.isRemoved) this.participants.delete(code);
      });
    }
  }

  /** Starts no more polls. */
  stopPolls(): void {
    this.stopping = true;
    clearInterval(this.retryTimer);
    clearInterval(this.agreementTimer);
    for (const participant of this.participants.values()) participant.stopPolls();
  }

  /** Completes running polls, then releases the leases, so that other replicas take over at once. */
  async stop(): Promise<void> {
    await this.replicas.stop();
    await Promise.all([...this.participants.values()].map((participant) => participant.stop()));
  }

  /** Closes the connections to the operator. */
  async close(): Promise<void> {
    await Promise.all([...this.participants.values()].map((participant) => participant.close()));
  }

  private digestSettings(): SettingsDigests {
    return Object.fromEntries(
      [...this.participants.values()].flatMap(({ code, detection }) =>
        detection === undefined ? [] : [[code, digestSettings(detection)]],
      ),
    );
  }

  /** The participant of this code, which is new when there was none. */
  private participantOf(code: string): ConfiguredParticipant {
    const known = this.participants.get(code);
    if (known !== undefined) return known;
    const { factory, share, faults, log } = this;
    const filesFault = new UnusableFilesFault({ participant: code }, faults);
    const participant = new ConfiguredParticipant(code, { factory, share, filesFault, log });
    this.participants.set(code, participant);
    if (this.started) participant.start();
    return participant;
  }

  /** The participants whose leases this replica acquires, and removed participants until their polls have ended. */
  private usable(): readonly ConfiguredParticipant[] {
    return [...this.participants.values()].filter(({ isUsable }) => isUsable);
  }

  private pollers(): readonly ParticipantPoller[] {
    return [...this.participants.values()].flatMap(({ poller }) => poller ?? []);
  }

  /** @throws Error when this replica can poll for none of its participants */
  private assertReady(): void {
    const unusable = [...this.participants.values()].flatMap((each) => (each.isUnusable ? [each.code] : []));
    if (unusable.length > 0 && this.usable().length === 0)
      throw new Error(`The files of no participant can be used: ${unusable.join(', ')}`);
    const held = this.pollers().flatMap(({ faults }) => {
      faults.check();
      return faults.held();
    });
    const explanation = explainUnready(held);
    if (explanation !== undefined) throw new Error(explanation);
  }
}
