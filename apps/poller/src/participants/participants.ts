import type { ConfigSource } from '@ssb/config-file';
import { isDeepStrictEqual } from 'node:util';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { describeStartFailure, type Liveness, type Readiness } from '@ssb/platform';
import { explainUnready } from '../domain/participant-readiness.js';
import { LeaseShare, shareOf } from '../lease/lease-share.js';
import type { Replicas } from '../lease/replicas.js';
import { Participant, type ParticipantDependencies } from './participant.js';
import type { PlannedParticipant } from './plan-participants.js';

export interface ParticipantsOptions extends Omit<ParticipantDependencies, 'share'> {
  readonly planned: readonly PlannedParticipant[];
  readonly config: ConfigSource;
  readonly replicas: Replicas;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
}

/**
 * The participants that this replica polls. Each has its own lease, connections and polls, so that a fault of one delays no other. Replicas
 * with the same participants share the leases equally.
 */
export class Participants implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  /** By code, as CONFIG_FILE has them now. */
  private planned: ReadonlyMap<string, PlannedParticipant>;
  private readonly opened = new Map<string, Participant>();
  /** Codes of participants whose files cannot be used. */
  private readonly unusable = new Set<string>();
  private readonly share: LeaseShare;
  private retryTimer: NodeJS.Timeout | undefined;
  /** Changes of the participants, one after the other. */
  private changing: Promise<void> = Promise.resolve();
  private started = false;
  private stopping = false;

  private constructor(private readonly options: ParticipantsOptions) {
    const { planned, replicas, readiness, liveness } = options;
    this.planned = byCode(planned);
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
    await Promise.all(options.planned.map(({ code }) => participants.openOne(code)));
    return participants;
  }

  onApplicationBootstrap(): void {
    const { replicas, settings } = this.options;
    // The share of this replica is known before it acquires a lease.
    void replicas
      .start(() => [...this.opened.keys()])
      .then(() => {
        this.started = true;
        for (const code of this.opened.keys()) this.startOne(code);
      });
    this.retryTimer = setInterval(() => {
      void this.runNext(() => this.openAll([...this.unusable])).catch((error: unknown) =>
        this.options.log.error({ err: error }, 'participants could not be opened'),
      );
    }, settings.TLS_RELOAD_INTERVAL_MS);
  }

  /**
   * Takes other participants into use: those with another access are opened again, new ones are opened, removed ones end. Other settings
   * apply from the next poll on.
   */
  async change(planned: readonly PlannedParticipant[]): Promise<void> {
    await this.runNext(() => this.applyChange(byCode(planned)));
  }

  /** Changes of the participants follow each other, also after one that failed. */
  private runNext(work: () => Promise<void>): Promise<void> {
    const done = this.changing.then(work);
    this.changing = done.catch(() => undefined);
    return done;
  }

  private async applyChange(planned: ReadonlyMap<string, PlannedParticipant>): Promise<void> {
    if (this.stopping) return;
    const previous = this.planned;
    this.planned = planned;
    const hasSameAccess = (code: string): boolean =>
      isDeepStrictEqual(planned.get(code)?.access, previous.get(code)?.access);
    const ended = [...previous.keys()].filter((code) => !hasSameAccess(code));
    await Promise.all(ended.map((code) => this.endOne(code)));
    await this.openAll([...planned.keys()].filter((code) => !hasSameAccess(code)));
  }

  /** Starts no more polls. */
  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.retryTimer);
    for (const participant of this.opened.values()) participant.stopPolls();
  }

  /** Completes running polls, then releases the leases, so that other replicas take over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.changing;
    await this.options.replicas.stop();
    await Promise.all([...this.opened.values()].map((participant) => participant.stop()));
  }

  /** Closes the connections to the operator. */
  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map((participant) => participant.close()));
  }

  private async openAll(codes: readonly string[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) => {
        if (this.stopping) return;
        await this.openOne(code);
        if (this.started) this.startOne(code);
      }),
    );
  }

  private async openOne(code: string): Promise<void> {
    const { config, reporter } = this.options;
    const planned = this.planned.get(code);
    if (planned === undefined) return;
    const fault = { reason: 'credentials-unusable', participant: code } as const;
    try {
      const participant = await Participant.open(
        {
          code,
          access: planned.access,
          config: () => config.current(),
          detection: () => this.planned.get(code)?.detection ?? planned.detection,
        },
        { ...this.options, share: this.share },
      );
      this.unusable.delete(code);
      this.opened.set(code, participant);
      reporter.clear(fault);
    } catch (error) {
      if (planned.isOfSettings && !this.started) throw error;
      this.unusable.add(code);
      reporter.raise({ ...fault, detail: describe(error) });
    }
  }

  private startOne(code: string): void {
    if (this.stopping) this.opened.get(code)?.stopPolls();
    else this.opened.get(code)?.start();
  }

  /** Completes the polls of a participant, then releases its lease. */
  private async endOne(code: string): Promise<void> {
    const participant = this.opened.get(code);
    this.opened.delete(code);
    if (this.unusable.delete(code))
      this.options.reporter.clear({ reason: 'credentials-unusable', participant: code });
    participant?.stopPolls();
    await participant?.stop();
    await participant?.close();
  }

  /** @throws Error when this replica can poll for none of its participants */
  private requireReady(): void {
    if (this.opened.size === 0)
      throw new Error(`The files of no participant can be used: ${[...this.unusable].join(', ')}`);
    const explanation = explainUnready([...this.opened.values()].flatMap((each) => each.held()));
    if (explanation !== undefined) throw new Error(explanation);
  }
}

function byCode(planned: readonly PlannedParticipant[]): ReadonlyMap<string, PlannedParticipant> {
  return new Map(planned.map((each) => [each.code, each]));
}

function describe(error: unknown): string {
  const problems = describeStartFailure(error)?.problems;
  return problems?.join(' ') ?? (error instanceof Error ? error.message : 'unknown failure');
}
