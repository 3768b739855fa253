import { JetStreamApiError, JetStreamError, type ApiError } from '@nats-io/jetstream';
import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

interface Waiting {
  readonly subject: string;
  /** When the answer must be here, milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (error: Error) => void;
}

/** Status of an answer that the server gives when nobody listens where a request was sent (NATS ADR-4, ADR-22). */
const NO_RESPONDERS = 503;

/**
 * Requests that are many: one subscription hears the answers to all of them, and one timer ends those that wait too long. The client
 * library's `request` makes a timer and an error of its own for each, which costs more than sending it.
 */
export class Requests {
  /** By the last part of where the answer goes; all wait equally long, so the first waits longest. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly inbox = `${createInbox()}.`;
  private made = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    /** Longest wait for an answer, milliseconds. */
    private readonly timeoutMs: number,
  ) {
    connection.subscribe(`${this.inbox}*`, {
      callback: (error, message) => (error ? this.failAll(error) : this.answered(message)),
    });
    void connection.closed().then(() => this.failAll(new errors.ClosedConnectionError()));
  }

  /**
   * Not repeated, whatever happens.
   * @throws errors.RequestError whose cause is NoRespondersError when nobody listens there, errors.TimeoutError without an answer in time,
   *   ClosedConnectionError
   */
  ask(subject: string, data: Uint8Array | string, headers?: MsgHdrs): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const token = (this.made++).toString(36);
      this.connection.publish(subject, data, { reply: this.inbox + token, ...(headers && { headers }) });
      const deadline = performance.now() + this.timeoutMs;
      this.waiting.set(token, { subject, deadline, resolve, reject });
      this.watch(this.timeoutMs);
    });
  }

  private answered(message: Msg): void {
    const token = message.subject.slice(this.inbox.length);
    const asked = this.waiting.get(token);
    if (asked === undefined || !this.waiting.delete(token)) return;
    if (message.data.length > 0 || message.headers?.code !== NO_RESPONDERS) return asked.resolve(message);
    const cause = new errors.NoRespondersError(asked.subject);
    asked.reject(new errors.RequestError(cause.message, { cause }));
  }

  /** Looks after a while for those that wait too long. The connection keeps the process, not this. */
  private watch(afterMs: number): void {
    this.timer ??= setTimeout(() => this.expire(), afterMs).unref();
  }

  private expire(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [token, { deadline, reject }] of this.waiting) {
      if (deadline > now) return this.watch(deadline - now);
      this.waiting.delete(token);
      reject(new errors.TimeoutError());
    }
  }

  private failAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

/** What JetStream answers when it has stored a message, or had it already. */
export interface Stored {
  readonly seq: number;
  readonly duplicate: boolean;
}

/** The answer to an append. @throws JetStreamApiError with what JetStream refuses it for, JetStreamError for what is no answer of JetStream */
export function readAppendAnswer(message: Msg): Stored {
  const { error, stream, seq, duplicate } = message.json<
    Partial<Stored> & { error?: ApiError; stream?: string }
  >();
  if (error !== undefined) throw new JetStreamApiError(error);
  if (stream === undefined || seq === undefined) throw new JetStreamError('no stream answered');
  return { seq, duplicate: duplicate === true };
}
