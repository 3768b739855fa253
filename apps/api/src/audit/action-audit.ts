import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';

/** What a person lets another app of the bridge do. A request to the subscriber is recorded by the database itself. */
export interface Action {
  /** Lower-case words joined by hyphens, such as `retry-dead-letter`. */
  readonly kind: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `name` of the caller. */
  readonly author: string;
  readonly comment?: string | undefined;
}

/** unknown: the app did not respond, so it may have carried the action out. */
export type ActionOutcome = 'done' | 'refused' | 'failed' | 'unknown';

/** How an action ended. The result is stored, so it holds no payload and no secret. */
export interface ActionEnd {
  readonly outcome: ActionOutcome;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Records the actions that are not requests in the audit table. */
@Injectable()
export class ActionAudit {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Records that the action begins, carries it out, and records how it ended. Without the first record nothing is done.
   * @param work returns how the action ended. When it throws, the outcome is unknown.
   */
  async carryOut<End extends ActionEnd>(action: Action, work: () => Promise<End>): Promise<End> {
    const id = randomUUID();
    await this.record(id, action, 'requested');
    try {
      const end = await work();
      await this.recordEnd(id, action, end);
      return end;
    } catch (error) {
      await this.recordEnd(id, action, { outcome: 'unknown' });
      throw error;
    }
  }

  /** The action has had its effect, so a failure to record it is only logged. */
  private async recordEnd(id: string, action: Action, { outcome, result }: ActionEnd): Promise<void> {
    try {
      await this.record(id, action, outcome, result);
    } catch (err) {
      this.log.error({ err, kind: action.kind, author: action.author, outcome }, 'action end not recorded');
    }
  }

  private async record(
    id: string,
    { kind, parameters, author, comment }: Action,
    step: 'requested' | ActionOutcome,
    result?: ActionEnd['result'],
  ): Promise<void> {
    await this.database.query('SELECT record_action($1, $2, $3, $4::jsonb, $5, $6, $7::jsonb)', [
      id,
      kind,
      step,
      JSON.stringify(parameters),
      author,
      comment ?? null,
      result === undefined ? null : JSON.stringify(result),
    ]);
  }
}
