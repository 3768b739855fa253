import type { BulkLine, OperatorClient, Trouble } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { Publication } from '../domain/publication.js';
import { afterFailure } from '../domain/retry.js';
import type { Outcome, Tally } from '../domain/tally.js';
import { loadLine } from './load-line.js';
import { pause } from './pause.js';

const CONFLICT = Symbol('there with another content');

/** Loads records through the operator's door until they are in; says so in the log and counts them. */
export class Publisher {
  constructor(
    private readonly door: OperatorClient,
    private readonly log: Logger,
    readonly tally: Tally,
  ) {}

  /** Resolves once the records are in. @throws the abort reason, or the error of a record that can never be loaded */
  async publish({ kind, subject, lines, note }: Publication, signal: AbortSignal): Promise<void> {
    const publishedAt = new Date().toISOString();
    const outcome = await this.load(`${kind} ${subject}`, lines, signal);
    this.log.info(
      {
        step: 'published',
        kind,
        subject,
        publishedAt,
        records: lines.length,
        loaded: outcome.loaded > 0,
        ...note,
      },
      `published ${kind} ${subject}`,
    );
  }

  /** Many publications in one transaction. @param what for the log: which stretch of the play it is */
  async publishTogether(
    what: string,
    publications: readonly Publication[],
    signal: AbortSignal,
  ): Promise<void> {
    const lines = publications.flatMap((publication) => publication.lines);
    const { loaded } = await this.load(what, lines, signal);
    this.log.info(
      { step: 'published', kind: 'history', subject: what, records: lines.length, loaded },
      `published ${what}: ${lines.length} records, ${loaded} of them new`,
    );
  }

  /** Switches a trouble on at the participants' side. */
  async trouble(trouble: Trouble, signal: AbortSignal): Promise<void> {
    await this.untilDone(`trouble ${trouble.kind}`, () => this.door.setTrouble(trouble), signal);
    this.log.info({ step: 'trouble', trouble }, `trouble: ${trouble.kind}`);
  }

  private async load(what: string, lines: readonly BulkLine[], signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.outcomeOf(what, lines, signal);
    this.tally.add(lines, outcome);
    return outcome;
  }

  private async outcomeOf(what: string, lines: readonly BulkLine[], signal: AbortSignal): Promise<Outcome> {
    const [first, ...more] = lines;
    if (first === undefined) return { loaded: 0, alreadyThere: 0, conflicting: 0 };
    if (more.length === 0) {
      const answer = await this.untilDone(what, () => loadLine(this.door, first), signal);
      if (answer === CONFLICT) return { loaded: 0, alreadyThere: 0, conflicting: 1 };
      return answer.loaded
        ? { loaded: 1, alreadyThere: 0, conflicting: 0 }
        : { loaded: 0, alreadyThere: 1, conflicting: 0 };
    }
    const answer = await this.untilDone(what, () => this.door.loadAll(lines), signal);
    if (answer !== CONFLICT) return { ...answer, conflicting: 0 };
    // One line that conflicts holds back all: find it by halves, so that only it is left out.
    const middle = Math.ceil(lines.length / 2);
    const before = await this.outcomeOf(what, lines.slice(0, middle), signal);
    const after = await this.outcomeOf(what, lines.slice(middle), signal);
    return {
      loaded: before.loaded + after.loaded,
      alreadyThere: before.alreadyThere + after.alreadyThere,
      conflicting: before.conflicting + after.conflicting,
    };
  }

  private async untilDone<T>(
    what: string,
    attemptOnce: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | typeof CONFLICT> {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        return await attemptOnce();
      } catch (error) {
        const next = afterFailure(error, attempt);
        switch (next.do) {
          case 'give-up':
            throw error;
          case 'go-on':
            this.log.warn({ what, err: error }, 'there already with another content; going on');
            return CONFLICT;
          case 'again':
            this.log.warn({ what, attempt, reason: String(error) }, 'not published yet; trying again');
            await pause(next.pauseMs, signal);
        }
      }
    }
  }
}
