import { Inject, Injectable } from '@nestjs/common';
import type { PublishRequest } from '@ssb/bus';
import { verifyMessage, type Did } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger, isTracing, startSpan, type TraceSpan } from '@ssb/platform';
import { BrokerMetrics } from '../broker-metrics.js';
import { findTopic, toLogChannel, type Channel } from '../channels/channel.js';
import { DEFAULT_TOPIC } from '../channels/names.js';
import { SchemaValidator } from '../channels/schema/schema-validator.js';
import { refusalError, type Refusal } from '../errors/refusal.js';
import { PermissionService } from '../permissions/permission.service.js';
import { checkPermission, type PermissionContext } from '../permissions/permissions.js';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type LogChannel, type MessageLog, type NewMessage } from '../storage/message-log.js';
import { toMessageId } from './bus-message.js';
import { parsePublishRequest } from './message.dto.js';
import { TimeSlicer } from './time-slicer.js';

/** The message's id, or the error that is returned to its sender. */
export type ReceiveOutcome = PromiseSettledResult<string>;

/** A message as its client sent it. */
export interface PostedMessage {
  readonly body: unknown;
  /** W3C trace context, as the client sent it. */
  readonly traceparent?: unknown;
}

type Acceptance =
  | { readonly ok: true; readonly channel: Channel; readonly topic: string }
  | { readonly ok: false; readonly refusal: Refusal };

interface AcceptedMessage {
  /** Index of the message in the request. */
  readonly index: number;
  readonly channel: LogChannel;
  readonly message: NewMessage;
  readonly span: TraceSpan;
}

/**
 * Receives posted messages: parse → permission, topic, size, schema, signature → append durably → id.
 * A message has an id only once it is stored. A repeated message gets the id of the first one.
 */
@Injectable()
export class ReceiveMessageService {
  private readonly slicer = new TimeSlicer();

  constructor(
    private readonly permissions: PermissionService,
    private readonly schemas: SchemaValidator,
    @Inject(MESSAGE_LOG) private readonly messageLog: MessageLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME'>,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly metrics: BrokerMetrics,
  ) {}

  /**
   * @returns the message's id
   * @throws InvalidRequestError, BusError when the message is refused
   * @throws EngineUnavailableError when the message could not be stored; the client may retry
   */
  async receive(sender: Did, posted: PostedMessage): Promise<string> {
    const [outcome] = await this.receiveAll(sender, [posted]);
    if (outcome === undefined) throw new RangeError('receiveAll returned no outcome for a message');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /**
   * Accepts or refuses each message by itself, and appends those of a channel in order. Never rejects.
   * @returns for each message, in order, what `receive` returns or throws
   */
  async receiveAll(sender: Did, posted: readonly PostedMessage[]): Promise<readonly ReceiveOutcome[]> {
    const batch = {};
    const results = await Promise.allSettled(
      posted.map((message, index) => this.accept(sender, message, index, batch)),
    );
    const outcomes: ReceiveOutcome[] = [];
    const accepted: AcceptedMessage[] = [];
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') outcomes[index] = result;
      else accepted.push(result.value);
    }
    const channels = new Set(accepted.map(({ channel }) => channel.fqcn));
    await Promise.all(
      [...channels].map((fqcn) => {
        const ofChannel = accepted.filter(({ channel }) => channel.fqcn === fqcn);
        return this.append(ofChannel, outcomes);
      }),
    );
    return outcomes;
  }

  /** @throws InvalidRequestError, BusError when the message is refused */
  private async accept(
    sender: Did,
    { body, traceparent: parent }: PostedMessage,
    index: number,
    batch: object,
  ): Promise<AcceptedMessage> {
    const request = parsePublishRequest(body);
    const { fqcn } = request;
    const span = startSpan('message append', { kind: 'server', parent, attributes: { channel: fqcn } });
    const acceptance = await this.check(request, sender, batch).catch((error: unknown) => {
      span.fail('failed');
      throw error;
    });
    if (!acceptance.ok) {
      const { refusal } = acceptance;
      this.metrics.refused.inc({ reason: refusal.kind });
      this.log.debug({ channel: fqcn, reason: refusal.kind }, 'message refused');
      span.fail(refusal.kind);
      throw refusalError(refusal);
    }
    const message = toNewMessage(request, acceptance.topic, sender, span);
    return { index, channel: toLogChannel(acceptance.channel), message, span };
  }

  private async check(request: PublishRequest, sender: Did, batch: object): Promise<Acceptance> {
    const cached = await this.permissions.getCachedContext(sender, request.fqcn);
    const acceptance = await this.checkWith(cached, request, sender, batch);
    if (acceptance.ok || acceptance.refusal.kind === 'bad-signature') return acceptance;
    // A refusal by cached data is confirmed with stored data. A bad signature depends on neither.
    const current = await this.permissions.getContext(sender, request.fqcn);
    return this.checkWith(current, request, sender, batch);
  }

  /**
   * Checks permission, topic, size, schema and signature, in this order. Returns the first failure as the refusal.
   * @param batch the slicer alternates between the checks of this batch and those of others
   */
  private async checkWith(
    context: PermissionContext,
    { fqcn, topic: name = DEFAULT_TOPIC, payload, signature }: PublishRequest,
    sender: Did,
    batch: object,
  ): Promise<Acceptance> {
    const authorization = checkPermission(context, 'publish', fqcn);
    if (!authorization.ok) return authorization;
    const { channel } = authorization;

    const topic = findTopic(channel, name);
    if (!topic) return refuse({ kind: 'topic-unknown', fqcn, topic: name });

    const size = Buffer.byteLength(payload);
    if (size > channel.maxMsgSize) return refuse({ kind: 'too-large', size, limit: channel.maxMsgSize });

    const problems = await this.slicer.run(batch, () => this.schemas.validate(topic.schema, payload));
    if (problems.length > 0) return refuse({ kind: 'schema-mismatch', topic: name, problems });

    const { SIGNATURE_SCHEME: scheme } = this.settings;
    const verdict = await this.slicer.run(batch, () => verifyMessage(payload, signature, sender, scheme));
    if (!verdict.ok) return refuse({ kind: 'bad-signature', reason: verdict.reason, sender });

    return { ok: true, channel, topic: name };
  }

  /** Appends messages of one channel, in their order, and records the outcome of each. */
  private async append(accepted: readonly AcceptedMessage[], outcomes: ReceiveOutcome[]): Promise<void> {
    const [first] = accepted;
    if (first === undefined) return;
    const { channel } = first;
    const acceptedAt = performance.now();
    const appended = await this.messageLog.appendAll(
      channel,
      accepted.map(({ message }) => message),
    );
    this.metrics.observeAppended(acceptedAt);
    for (const [appendIndex, { index, message, span }] of accepted.entries()) {
      const result = appended[appendIndex];
      if (result?.status !== 'fulfilled') {
        span.fail('storage-unavailable');
        outcomes[index] = result ?? {
          status: 'rejected',
          reason: new RangeError('appendAll returned no outcome for a message'),
        };
        continue;
      }
      const { offset, repeated } = result.value;
      const { topic, correlationId } = message;
      const messageId = toMessageId(channel.fqcn, offset);
      this.metrics.countAccepted(channel.fqcn, repeated);
      this.log.debug(
        { channel: channel.fqcn, topic, messageId, repeated, correlationId },
        'message appended',
      );
      span.succeed(repeated ? 'repeated' : 'appended', { topic, messageId });
      outcomes[index] = { status: 'fulfilled', value: messageId };
    }
  }
}

function refuse(refusal: Refusal): Acceptance {
  return { ok: false, refusal };
}

function toNewMessage(
  { payload, signature, correlationId }: PublishRequest,
  topic: string,
  sender: Did,
  { sampledTraceparent: traceparent }: TraceSpan,
): NewMessage {
  return {
    topic,
    payload,
    signature,
    sender,
    ...(correlationId !== undefined && { correlationId }),
    // A trace context that only the client chose is not stored.
    ...(isTracing() && traceparent !== undefined && { traceparent }),
  };
}
