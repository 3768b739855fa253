import { Inject, Injectable } from '@nestjs/common';
import { findEventProblem, OperatorConfigFile } from '@ssb/config';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import {
  DeadLetters,
  describeLetter,
  pageOfLetters,
  type DeadLetterSummary,
  type RetryResult,
} from '@ssb/redis-queue';

/** A larger event is left out of a response. */
const MAX_EVENT_BYTES = 1_048_576;

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** A dead letter with its event. */
interface DeadLetterDetails extends DeadLetterSummary {
  /** Absent when it is too large. */
  readonly event?: object;
  readonly eventBytes: number;
}

/** Lists, retries and removes the events that could not be published. */
@Injectable()
export class DeadLetterRequests {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly config: OperatorConfigFile,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Reads the events one by one, because each can have 8 MiB. */
  async list(query: PageQuery): Promise<Page<DeadLetterSummary>> {
    const { ids, ...page } = await this.pageOf(query);
    const items: DeadLetterSummary[] = [];
    for (const id of ids) {
      const letter = await this.deadLetters.get(id);
      if (letter !== undefined) items.push(describeLetter(letter));
    }
    return { items, ...page };
  }

  async read(id: string): Promise<DeadLetterDetails> {
    const letter = await this.deadLetters.get(id);
    if (letter === undefined) throw notFound();
    const eventBytes = Buffer.byteLength(JSON.stringify(letter.event));
    const isShown = eventBytes <= MAX_EVENT_BYTES;
    return { ...describeLetter(letter), ...(isShown && { event: letter.event }), eventBytes };
  }

  /** Queues the dead letters of one page again; each leaves the list after its publication. */
  async retryPage(query: PageQuery): Promise<Page<{ readonly id: string } & RetryResult>> {
    const { ids, ...page } = await this.pageOf(query);
    const items: ({ id: string } & RetryResult)[] = [];
    for (const id of ids) items.push({ id, ...(await this.requeue(id, false)) });
    return { items, ...page };
  }

  /** @throws ProblemException 404, 409 when CONFIG_FILE does not allow the event, or it is not verified */
  async retry(id: string, unverified: boolean): Promise<{ readonly id: string } & RetryResult> {
    const result = await this.requeue(id, unverified);
    if (result.outcome === 'not-found') throw notFound();
    if (result.outcome === 'refused') throw new ProblemException(409, 'Conflict', result.reason);
    return { id, ...result };
  }

  /** Removes a dead letter without publishing its event. @throws ProblemException 404 */
  async remove(id: string): Promise<DeadLetterSummary> {
    const removed = await this.deadLetters.discard(id);
    if (removed === undefined) throw notFound();
    const summary = describeLetter(removed);
    const { type: eventType, subject, reason } = summary;
    this.log.warn({ eventId: id, eventType, subject, reason }, 'dead letter removed');
    return summary;
  }

  private async requeue(id: string, unverified: boolean): Promise<RetryResult> {
    const findProblem = (event: unknown): string | undefined =>
      findEventProblem(this.config.current(), event);
    const result = await this.deadLetters.retry(id, { findProblem, unverified });
    this.log.info({ eventId: id, outcome: result.outcome }, 'dead letter retry requested');
    return result;
  }

  private async pageOf(query: PageQuery) {
    return pageOfLetters(await this.deadLetters.listIds(), query);
  }
}

function notFound(): ProblemException {
  return new ProblemException(404, 'Not found', 'There is no dead letter of this id.');
}
