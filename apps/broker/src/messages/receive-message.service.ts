import { Inject, Injectable } from '@nestjs/common';
import type { PublishRequest } from '@ssb/bus';
import { verifyMessage, type Did } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger, isTracing, startSpan, type TraceSpan } from '@ssb/platform';
import { BrokerMetrics } from '../broker-metrics.js';
import { toLogChannel } from '../channels/channel.js';
import { SchemaValidator } from '../channels/schema/schema-validator.js';
import { refusalError } from '../errors/refusal.js';
import { PermissionService } from '../permissions/permission.service.js';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type LogChannel, type MessageLog, type NewMessage } from '../storage/message-log.js';
import { acceptMessage, type Acceptance, type MessageChecks } from './accept-message.js';
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
    const checks = this.createChecks();
    const results = await Promise.allSettled(
      posted.map((message, index) => this.accept(sender, message, index, checks)),
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
    checks: MessageChecks,
  ): Promise<AcceptedMessage> {
    const publishRequest = parsePublishRequest(body);
    const { fqcn } = publishRequest;
    const span = startSpan('message append', { kind: 'server', parent, attributes: { channel: fqcn } });
    const acceptance = await this.check(publishRequest, sender, checks).catch((error: unknown) => {
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
    const message = toNewMessage(publishRequest, acceptance.topic, sender, span);
    return { index, channel: toLogChannel(acceptance.channel), message, span };
  }

  /** The checks of one request. The slicer alternates between them and the checks of other requests. */
  private createChecks(): MessageChecks {
    const request = {};
    const { SIGNATURE_SCHEME: scheme } = this.settings;
    return {
      validatePayload: (schema, payload) =>
        this.slicer.run(request, () => this.schemas.validate(schema, payload)),
      verifySignature: (payload, signature, sender) =>
        this.slicer.run(request, () => verifyMessage(payload, signature, sender, scheme)),
    };
  }

  private async check(request: PublishRequest, sender: Did, checks: MessageChecks): Promise<Acceptance> {
    const cached = await this.permissions.getCachedContext(sender, request.fqcn);
    const acceptance = await acceptMessage(request, sender, cached, checks);
    if (acceptance.ok || acceptance.refusal.kind === 'bad-signature') return acceptance;
    // A refusal by cached data is confirmed with stored data. A bad signature depends on neither.
    const current = await this.permissions.getContext(sender, request.fqcn);
    return acceptMessage(request, sender, current, checks);
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
