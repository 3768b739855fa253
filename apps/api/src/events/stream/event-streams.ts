import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InvalidRequestError, Metrics, ProblemException, SETTINGS } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { Authenticator } from '../../access/authenticator.js';
import { TooManyRequestsError } from '../../access/caller-limits.js';
import type { Caller } from '../../access/caller.js';
import { refuseShortId } from '../../database/find-id.js';
import { isStorable } from '../../http/texts.js';
import { METRICS } from '../../metrics.js';
import type { Settings } from '../../settings.js';
import { MAX_ID_LENGTH, type EventStreamQuery } from '../event-dto.js';
import { createEventFilter } from '../event-filter.js';
import { BEGINNING, EventQueries } from '../event-queries.js';
import { ArchiveTail } from './archive-tail.js';
import { EventStream, type ArchivedPlace } from './event-stream.js';

const RETRY_AFTER_MS = 5_000;
const UNKNOWN_EVENT = {
  path: 'after',
  message:
    'after or Last-Event-ID must be the id of an archived event that was not deleted; without it the stream begins now',
};

/** The open streams of all callers. */
@Injectable()
export class EventStreams implements OnModuleInit, BeforeApplicationShutdown {
  /** The caller of each open stream, by the key of its credentials. */
  private readonly open = new Map<EventStream, string>();
  private isClosing = false;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly events: EventQueries,
    private readonly tail: ArchiveTail,
    private readonly authenticator: Authenticator,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(METRICS.streams, (gauge) => gauge.set(this.open.size));
  }

  /** Streams end before the server waits for its responses. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    for (const stream of this.open.keys()) stream.end('shutdown');
    await Promise.all(this.running);
  }

  /**
   * Responds with a stream.
   * @param lastEventId value of the header
   * @throws InvalidRequestError for an event that the caller may not see; ProblemException 405 for HEAD, 409 when several ids begin so, 429 or 503
   *   beyond a limit
   */
  async start(
    caller: Caller,
    query: EventStreamQuery,
    lastEventId: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    if (reply.request.method === 'HEAD') throw methodNotAllowed(reply);
    const key = this.authenticator.keyOf(caller);
    const stream = new EventStream(reply.raw, this.events, this.tail);
    this.admit(key);
    this.open.set(stream, key);
    try {
      const after = await this.findStart(caller, query.after ?? lastEventId);
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Asks nginx not to buffer it.
        'x-accel-buffering': 'no',
      });
      if (this.isClosing) stream.end('shutdown');
      const stopWatching = this.authenticator.watch(caller, (reason) => stream.end(reason));
      const running = stream.run(caller, createEventFilter(caller, query), after).finally(stopWatching);
      this.running.add(running);
      await running.finally(() => this.running.delete(running));
    } finally {
      this.open.delete(stream);
    }
  }

  private admit(key: string): void {
    const { EVENT_STREAMS: max, CALLER_EVENT_STREAMS: maxOfCaller } = this.settings;
    const own = [...this.open.values()].filter((each) => each === key).length;
    if (own >= maxOfCaller)
      throw new TooManyRequestsError(
        `At most ${maxOfCaller} streams with the same credentials are open at once: end one, then retry.`,
        RETRY_AFTER_MS,
      );
    if (this.open.size >= max)
      throw new ProblemException(503, 'Service unavailable', 'Too many streams are open: retry later.');
  }

  /**
   * Where the stream begins; undefined for now.
   * @param text an id, or its first characters
   */
  private async findStart(caller: Caller, text: string | undefined): Promise<ArchivedPlace | undefined> {
    if (text === undefined || text === '') return undefined;
    if (text === BEGINNING) return { id: BEGINNING, offset: 0 };
    if (!isStorable(text, MAX_ID_LENGTH)) throw new InvalidRequestError([UNKNOWN_EVENT]);
    refuseShortId(text, UNKNOWN_EVENT.path);
    const id = await this.events.completeId(caller, text);
    const { offset } = await this.events.findPlace(caller, id, UNKNOWN_EVENT);
    return { id, offset };
  }
}

/** A stream has no end, so HEAD would wait for ever. */
function methodNotAllowed(reply: FastifyReply): ProblemException {
  void reply.header('allow', 'GET');
  return new ProblemException(405, 'Method not allowed', 'A stream has no HEAD: send GET.');
}
