import { isDeepStrictEqual } from 'node:util';
import type { DetectionSettings } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { UnusableFilesFault } from '@ssb/faults';
import type { LeaseShare } from '../lease/lease-share.js';
import { assertUsableFiles, type ParticipantAccess } from '../market/participant-access.js';
import type { ParticipantPollerFactory } from './participant-poller-factory.js';
import type { ParticipantPoller } from './participant-poller.js';
import type { PlannedParticipant } from './plan-participants.js';

export interface ConfiguredParticipantDependencies {
  readonly factory: Pick<ParticipantPollerFactory, 'open'>;
  readonly share: LeaseShare;
  readonly filesFault: UnusableFilesFault;
  readonly log: Logger;
}

/**
 * A participant of CONFIG_FILE, which is opened as soon as the files of its access can be used. Its changes are applied one after the other,
 * independently of other participants.
 */
export class ConfiguredParticipant {
  private planned: PlannedParticipant | undefined;
  private opened: { readonly poller: ParticipantPoller; readonly access: ParticipantAccess } | undefined;
  /** Why the planned access is not in use; undefined when it is. */
  private problem: unknown;
  private usable = false;
  private changes: Promise<void> = Promise.resolve();
  private pendingChanges = 0;
  private started = false;
  private stopping = false;

  constructor(
    readonly code: string,
    private readonly dependencies: ConfiguredParticipantDependencies,
  ) {}

  /** The settings of its detection; undefined after its removal. */
  get detection(): DetectionSettings | undefined {
    return this.planned?.detection;
  }

  /** The open poller. While the access changes, the previous one until its polls have ended, then undefined. */
  get poller(): ParticipantPoller | undefined {
    return this.opened?.poller;
  }

  /** Whether this replica may acquire the lease, or keeps it until running polls have ended. */
  get isUsable(): boolean {
    return this.usable;
  }

  /** Whether it is not polled because its files cannot be used. */
  get isUnusable(): boolean {
    return this.problem !== undefined && !this.usable;
  }

  /** Whether it is no longer in CONFIG_FILE. Running polls may not have ended. */
  get isRemoved(): boolean {
    return this.planned === undefined;
  }

  /** @throws the errors of `openMarketClients`, when the access is that of the settings */
  async open(planned: PlannedParticipant): Promise<void> {
    this.planned = planned;
    await this.runNext();
    if (planned.isOfSettings && this.problem !== undefined) throw this.problem as Error;
    this.reportFiles();
  }

  /**
   * Opens it, opens it again with another access, or ends it. Other settings apply from the next poll on.
   * @param planned undefined when the participant is no longer in CONFIG_FILE
   */
  async change(planned: PlannedParticipant | undefined): Promise<void> {
    this.planned = planned;
    await this.runNext();
    this.reportFiles();
  }

  /** Tries again to use the planned access, if it is not in use. */
  async retry(): Promise<void> {
    if (this.problem === undefined || this.pendingChanges > 0) return;
    await this.runNext();
    this.reportFiles();
  }

  /** Polls from now on, as soon as it is open. */
  start(): void {
    this.started = true;
    if (!this.stopping) this.poller?.start();
  }

  /** Starts no more polls, and changes nothing more. */
  stopPolls(): void {
    this.stopping = true;
    this.poller?.stopPolls();
  }

  /** Completes running polls, then releases the lease. */
  async stop(): Promise<void> {
    await Promise.all([this.poller?.stop(), this.changes]);
  }

  /** Closes the connections, after `stop`. */
  async close(): Promise<void> {
    await this.poller?.close();
  }

  private async runNext(): Promise<void> {
    this.pendingChanges += 1;
    this.changes = this.changes.then(() => this.applyPlan());
    await this.changes;
    this.pendingChanges -= 1;
  }

  /** Compares the plan with what is open, so that a change that failed can be repeated. Never rejects. */
  private async applyPlan(): Promise<void> {
    const { planned } = this;
    if (this.stopping) return;
    if (planned === undefined) {
      // The faults of the participant in Redis end with the other former faults.
      this.poller?.faults.end();
      this.dependencies.filesFault.forget();
      await this.end();
      this.usable = false;
      this.problem = undefined;
      return;
    }
    try {
      if (!isDeepStrictEqual(this.opened?.access, planned.access)) await this.replace(planned);
      this.problem = undefined;
    } catch (error) {
      this.problem = error;
    }
    if (this.planned !== planned) return;
    this.usable = this.opened !== undefined;
  }

  private async replace(planned: PlannedParticipant): Promise<void> {
    const { poller: previous } = this;
    if (previous !== undefined) {
      // The previous connections stay in use when the new files cannot be used.
      await assertUsableFiles(planned.access, (name) => previous.market.connection(name).certificate);
      await this.end();
    }
    // A change that arrived meanwhile is applied next.
    if (this.stopping || this.planned !== planned) return;
    const { code, dependencies } = this;
    const poller = await dependencies.factory.open({
      code,
      access: planned.access,
      detection: () => (this.planned ?? planned).detection,
      share: dependencies.share,
      onFileCheck: () => this.reportFiles(),
    });
    this.opened = { poller, access: planned.access };
    if (this.started && !this.stopping) poller.start();
  }

  /** Completes its polls, then releases its lease. */
  private async end(): Promise<void> {
    const { poller, code } = this;
    if (poller === undefined) return;
    poller.stopPolls();
    const logFailure = (err: unknown): void =>
      this.dependencies.log.error({ err, participant: code }, 'participant close failed');
    await poller.stop().catch(logFailure);
    await poller.close().catch(logFailure);
    this.opened = undefined;
  }

  private reportFiles(): void {
    if (this.stopping || this.isRemoved) return;
    const { problem, poller } = this;
    const problems = [...(problem === undefined ? [] : [problem]), ...(poller?.market.refusals() ?? [])];
    this.dependencies.filesFault.report(problems, poller !== undefined);
  }
}
