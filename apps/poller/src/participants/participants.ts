import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { OperatorConfig } from '@ssb/operator-config';
import { describeStartFailure, type Liveness, type Readiness } from '@ssb/platform';
import { explainUnready } from '../domain/participant-readiness.js';
import { LeaseShare, shareOf } from '../lease/lease-share.js';
import type { Replicas } from '../lease/replicas.js';
import { Participant, type ParticipantDependencies } from './participant.js';
import type { PlannedParticipant } from './plan-participants.js';

export interface ParticipantsOptions extends Omit<ParticipantDependencies, 'share'> {
  readonly planned: readonly PlannedParticipant[];
  readonly config: OperatorConfig;
  readonly replicas: Replicas;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
}

/**
 * The participants that this replica polls. Each has its own lease, connections and polls, so that a fault of one delays no other. Replicas
 * with the same participants share the leases equally.
 */
export class Participants implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly opened = new Map<string, Participant>();
  /** Participants whose files cannot be used, by code. */
  private readonly unusable = new Map<string, PlannedParticipant>();
  private readonly share: LeaseShare;
  private retryTimer: NodeJS.Timeout | undefined;
  private retrying: Promise<void> = Promise.resolve();
  private stopping = false;

  private constructor(private readonly options: ParticipantsOptions) {
    const { replicas, readiness, liveness } = options;
    this.share = new LeaseShare(() => shareOf(this.opened.size, replicas.count));
    options.metrics.observeReplicas(() => replicas.count);
    readiness.register('participants', () => this.requireReady());
    liveness.register('polls', () => {
      for (const participant of this.opened.values()) participant.requireProgress();
    });
  }

  /**
   * Opens the connections of all participants. One whose files in CONFIG_FILE cannot be used is reported, and tried again regularly.
   * @throws the errors of `openMarketClients`, when the files of the settings cannot be used
   */
  static async open(options: ParticipantsOptions): Promise<Participants> {
    const participants = new Participants(options);
    await Promise.all(options.planned.map((planned) => participants.openOne(planned)));
    return participants;
  }

  onApplicationBootstrap(): void {
    const { replicas, settings } = this.options;
    // The share of this replica is known before it acquires a lease.
    void replicas
      .start(() => [...this.opened.keys()])
      .then(() => {
        if (!this.stopping) for (const participant of this.opened.values()) participant.start();
      });
    this.retryTimer = setInterval(() => {
      this.retrying = this.retrying.then(() => this.retryUnusable());
    }, settings.TLS_RELOAD_INTERVAL_MS);
  }

  /** Starts no more polls. */
  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.retryTimer);
    for (const participant of this.opened.values()) participant.stopPolls();
  }

  /** Completes running polls, then releases the leases, so that other replicas take over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.retrying;
    await this.options.replicas.stop();
    await Promise.all([...this.opened.values()].map((participant) => participant.stop()));
  }

  /** Closes the connections to the operator. */
  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map((participant) => participant.close()));
  }

  /** @returns whether the participant is open */
  private async openOne(planned: PlannedParticipant): Promise<boolean> {
    const { config, reporter } = this.options;
    const { code, detection } = planned;
    const fault = { reason: 'credentials-unusable', participant: code } as const;
    try {
      const participant = await Participant.open(
        { code, access: planned.access, config: () => config, detection: () => detection },
        { ...this.options, share: this.share },
      );
      this.unusable.delete(code);
      this.opened.set(code, participant);
      reporter.clear(fault);
      return true;
    } catch (error) {
      if (planned.isOfSettings) throw error;
      this.unusable.set(code, planned);
      reporter.raise({ ...fault, detail: describe(error) });
      return false;
    }
  }

  private async retryUnusable(): Promise<void> {
    for (const planned of [...this.unusable.values()]) {
      if (this.stopping) return;
      if (await this.openOne(planned)) this.startOpened(planned.code);
    }
  }

  private startOpened(code: string): void {
    const participant = this.opened.get(code);
    if (participant === undefined) return;
    if (this.stopping) participant.stopPolls();
    else participant.start();
  }

  /** @throws Error when this replica can poll for none of its participants */
  private requireReady(): void {
    if (this.opened.size === 0)
      throw new Error(`The files of no participant can be used: ${[...this.unusable.keys()].join(', ')}`);
    const explanation = explainUnready([...this.opened.values()].flatMap((each) => each.held()));
    if (explanation !== undefined) throw new Error(explanation);
  }
}

function describe(error: unknown): string {
  const problems = describeStartFailure(error)?.problems;
  return problems?.join(' ') ?? (error instanceof Error ? error.message : 'unknown failure');
}
