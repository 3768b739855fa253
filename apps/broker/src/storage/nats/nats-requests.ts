import { JetStreamApiError, JetStreamError, type ApiError } from '@nats-io/jetstream';
import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

interface PendingRequest {
  readonly subject: string;
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
}

/** Status of the server's reply when a request has no subscriber (NATS ADR-4, ADR-22). */
const NO_RESPONDERS = 503;

/**
 * Sends many requests with one subscription for all replies and one timer for all timeouts.
 * The client library's `request` creates a timer and an error for each request, which costs more than sending it.
 */
export class NatsRequests {
  /** Pending requests by the last token of the reply subject. Timeouts are equal, so the first entry expires first. */
  private readonly pending = new Map<string, PendingRequest>();
  private readonly inbox = `${createInbox()}.`;
  private requestCount = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly timeoutMs: number,
  ) {
    connection.subscribe(`${this.inbox}*`, {
      callback: (error, message) => (error ? this.rejectAll(error) : this.receiveReply(message)),
    });
    void connection.closed().then(() => this.rejectAll(new errors.ClosedConnectionError()));
  }

  /**
   * Sends once, without a retry.
   * @throws errors.RequestError caused by NoRespondersError without a subscriber, errors.TimeoutError, ClosedConnectionError
   */
  request(subject: string, data: Uint8Array | string, headers?: MsgHdrs): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const token = (this.requestCount++).toString(36);
      this.connection.publish(subject, data, { reply: this.inbox + token, ...(headers && { headers }) });
      const deadline = performance.now() + this.timeoutMs;
      this.pending.set(token, { subject, deadline, resolve, reject });
      this.startTimer(this.timeoutMs);
    });
  }

  private receiveReply(message: Msg): void {
    const token = message.subject.slice(this.inbox.length);
    const request = this.pending.get(token);
    if (request === undefined || !this.pending.delete(token)) return;
    if (message.data.length > 0 || message.headers?.code !== NO_RESPONDERS) return request.resolve(message);
    const cause = new errors.NoRespondersError(request.subject);
    request.reject(new errors.RequestError(cause.message, { cause }));
  }

  /** Unref'd, because the connection keeps the process alive. */
  private startTimer(afterMs: number): void {
    this.timer ??= setTimeout(() => this.rejectExpired(), afterMs).unref();
  }

  private rejectExpired(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [token, { deadline, reject }] of this.pending) {
      if (deadline > now) return this.startTimer(deadline - now);
      this.pending.delete(token);
      reject(new errors.TimeoutError());
    }
  }

  private rejectAll(error: Error): void {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}

/** JetStream's reply to an append: stored now, or before. */
export interface AppendReply {
  readonly seq: number;
  readonly duplicate: boolean;
}

/** @throws JetStreamApiError when JetStream refused the append, JetStreamError when the reply is not from a stream */
export function parseAppendReply(message: Msg): AppendReply {
  const { error, stream, seq, duplicate } = message.json<
    Partial<AppendReply> & { error?: ApiError; stream?: string }
  >();
  if (error !== undefined) throw new JetStreamApiError(error);
  if (stream === undefined || seq === undefined) throw new JetStreamError('no stream responded');
  return { seq, duplicate: duplicate === true };
}
