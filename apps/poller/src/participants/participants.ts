import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Liveness, Readiness } from '@ssb/platform';
import { explainUnready } from '../domain/participant-readiness.js';
import { LeaseShare, shareOf } from '../lease/lease-share.js';
import type { Replicas } from '../lease/replicas.js';
import { digestSettings, type SettingsDigests } from '../lease/settings-agreement.js';
import { ConfiguredParticipant, type ConfiguredParticipantDependencies } from './configured-participant.js';
import type { Participant } from './participant.js';
import type { PlannedParticipant } from './plan-participants.js';

export interface ParticipantsOptions extends Omit<ConfiguredParticipantDependencies, 'share'> {
  readonly planned: readonly PlannedParticipant[];
  readonly replicas: Replicas;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
}

/**
 * The participants that this replica polls. Each has its own lease, connections and polls, so that a fault of one delays no other. Replicas
 * with the same participants share the leases equally.
 */
export class Participants implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  /** By code: those of CONFIG_FILE, and removed ones whose polls have not ended. */
  private readonly participants = new Map<string, ConfiguredParticipant>();
  private readonly share: LeaseShare;
  private retryTimer: NodeJS.Timeout | undefined;
  private agreementTimer: NodeJS.Timeout | undefined;
  /** Since when replicas have other settings for a participant, by the clock of `performance`. */
  private readonly differingSince = new Map<string, number>();
  private started = false;
  private stopping = false;

  private constructor(private readonly options: ParticipantsOptions) {
    const { replicas, readiness, liveness } = options;
    this.share = new LeaseShare(() => shareOf(this.usable().length, replicas.count));
    options.metrics.observeReplicas(() => replicas.count);
    readiness.register('participants', () => this.assertReady());
    liveness.register('polls', () => {
      for (const participant of this.opened()) participant.assertProgress();
    });
  }

  /**
   * Opens the connections of all participants. One whose files in CONFIG_FILE cannot be used is reported, and tried again regularly.
   * @throws the errors of `openMarketClients`, when the files of the settings cannot be used
   */
  static async open(options: ParticipantsOptions): Promise<Participants> {
    const participants = new Participants(options);
    await Promise.all(
      options.planned.map((planned) => participants.participantOf(planned.code).open(planned)),
    );
    return participants;
  }

  onApplicationBootstrap(): void {
    const { replicas, settings } = this.options;
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
    this.agreementTimer = setInterval(() => this.reportAgreement(), settings.LEASE_TTL_MS * 0.3);
    this.retryTimer = setInterval(() => {
      for (const participant of this.participants.values()) void participant.retry();
    }, settings.TLS_RELOAD_INTERVAL_MS);
  }

  /** Takes other participants into use. Each changes by itself, because the running polls of one may last long. */
  change(planned: readonly PlannedParticipant[]): void {
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
  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.retryTimer);
    clearInterval(this.agreementTimer);
    for (const participant of this.participants.values()) participant.stopPolls();
  }

  /** Completes running polls, then releases the leases, so that other replicas take over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.options.replicas.stop();
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

  /** Each replica reports it. Replicas read a changed file at different moments, so a difference counts after two reloads. */
  private reportAgreement(): void {
    const { replicas, reporter, settings } = this.options;
    for (const { code, isRemoved } of this.participants.values()) {
      const fault = { reason: 'replicas-differ', participant: code } as const;
      const detail = isRemoved ? undefined : replicas.agreement.describe(code);
      if (detail === undefined) {
        this.differingSince.delete(code);
        if (!isRemoved) reporter.clear(fault);
        continue;
      }
      const since = this.differingSince.get(code) ?? performance.now();
      this.differingSince.set(code, since);
      if (performance.now() - since >= 2 * settings.CONFIG_RELOAD_INTERVAL_MS)
        reporter.raise({ ...fault, detail });
    }
  }

  /** The participant of this code, which is new when there was none. */
  private participantOf(code: string): ConfiguredParticipant {
    const known = this.participants.get(code);
    if (known !== undefined) return known;
    const participant = new ConfiguredParticipant(code, { ...this.options, share: this.share });
    this.participants.set(code, participant);
    if (this.started) participant.start();
    return participant;
  }

  /** Those whose leases this replica acquires, and removed ones that hold a lease until their polls have ended. */
  private usable(): readonly ConfiguredParticipant[] {
    return [...this.participants.values()].filter(({ isUsable }) => isUsable);
  }

  private opened(): readonly Participant[] {
    return [...this.participants.values()].flatMap(({ current }) => current ?? []);
  }

  /** @throws Error when this replica can poll for none of its participants */
  private assertReady(): void {
    const unusable = [...this.participants.values()].flatMap((each) => (each.isUnusable ? [each.code] : []));
    if (unusable.length > 0 && this.usable().length === 0)
      throw new Error(`The files of no participant can be used: ${unusable.join(', ')}`);
    const explanation = explainUnready(this.opened().flatMap((each) => each.held()));
    if (explanation !== undefined) throw new Error(explanation);
  }
}
