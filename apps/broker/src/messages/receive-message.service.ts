import { Inject, Injectable } from '@nestjs/common';
import type { PublishRequest } from '@ssb/bus';
import { verifyMessage, type Did, type SignatureScheme } from '@ssb/identity';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { toLogChannel } from '../channels/channel.js';
import { SchemaValidator } from '../channels/schema/schema-validator.js';
import { refusalError, type SchemaProblem } from '../errors/refusal.js';
import { PermissionService } from '../permissions/permission.service.js';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type LogChannel, type MessageLog, type NewMessage } from '../storage/message-log.js';
import { acceptMessage, type MessageChecks, type SenderVerdict } from './accept-message.js';
import { toMessageId } from './bus-message.js';
import { parsePublishRequest } from './message.dto.js';
import { TimeSlicer } from './time-slicer.js';

/** The message's id, or the error that is returned to its sender. */
export type ReceiveOutcome = PromiseSettledResult<string>;

interface AcceptedMessage {
  /** Index of the message in the request. */
  readonly index: number;
  readonly channel: LogChannel;
  readonly message: NewMessage;
}

/**
 * Receives posted messages: parse → permission, topic, size, schema, signature → append durably → id.
 * A message has an id only once it is stored. A repeated message gets the id of the first one.
 */
@Injectable()
export class ReceiveMessageService {
  private readonly slicer = new TimeSlicer();
  private readonly acceptedCounter;
  private readonly refusedCounter;

  constructor(
    private readonly permissions: PermissionService,
    private readonly schemas: SchemaValidator,
    @Inject(MESSAGE_LOG) private readonly messageLog: MessageLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME'>,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.acceptedCounter = metrics.counter({
      name: 'broker_messages_accepted_total',
      help: 'Messages accepted, by whether they repeat an earlier message.',
      labelNames: ['repeated'],
    });
    this.refusedCounter = metrics.counter({
      name: 'broker_messages_refused_total',
      help: 'Messages refused, by reason.',
      labelNames: ['reason'],
    });
  }

  /**
   * @param body a message as the client sent it
   * @returns the message's id
   * @throws InvalidRequestError, BusError when the message is refused
   * @throws EngineUnavailableError when the message could not be stored; the client may retry
   */
  async receive(sender: Did, body: unknown): Promise<string> {
    const [outcome] = await this.receiveAll(sender, [body]);
    if (outcome === undefined) throw new RangeError('receiveAll returned no outcome for a message');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /**
   * Accepts or refuses each message by itself, and appends those of a channel in order. Never rejects.
   * @returns for each message, in order, what `receive` returns or throws
   */
  async receiveAll(sender: Did, bodies: readonly unknown[]): Promise<readonly ReceiveOutcome[]> {
    const checks = new SlicedChecks(this.slicer, this.schemas, this.settings.SIGNATURE_SCHEME);
    const results = await Promise.allSettled(
      bodies.map((body, index) => this.accept(sender, body, index, checks)),
    );
    const outcomes: ReceiveOutcome[] = [];
    const byChannel = new Map<string, AcceptedMessage[]>();
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') {
        outcomes[index] = result;
        continue;
      }
      const { fqcn } = result.value.channel;
      const accepted = byChannel.get(fqcn);
      if (accepted) accepted.push(result.value);
      else byChannel.set(fqcn, [result.value]);
    }
    await Promise.all([...byChannel.values()].map((accepted) => this.append(accepted, outcomes)));
    return outcomes;
  }

  /** @throws InvalidRequestError, BusError when the message is refused */
  private async accept(
    sender: Did,
    body: unknown,
    index: number,
    checks: MessageChecks,
  ): Promise<AcceptedMessage> {
    const publishRequest = parsePublishRequest(body);
    const { fqcn } = publishRequest;
    const cached = await this.permissions.getCachedContext(sender, fqcn);
    let acceptance = await acceptMessage(publishRequest, sender, cached, checks);
    if (!acceptance.ok && acceptance.refusal.kind !== 'bad-signature') {
      // A refusal by cached data is confirmed with stored data. A bad signature depends on neither.
      const current = await this.permissions.getContext(sender, fqcn);
      acceptance = await acceptMessage(publishRequest, sender, current, checks);
    }
    if (!acceptance.ok) {
      const { refusal } = acceptance;
      this.refusedCounter.inc({ reason: refusal.kind });
      this.log.debug({ channel: fqcn, reason: refusal.kind }, 'message refused');
      throw refusalError(refusal);
    }
    const message = toNewMessage(publishRequest, acceptance.topic, sender);
    return { index, channel: toLogChannel(acceptance.channel), message };
  }

  /** Appends messages of one channel, in their order, and records the outcome of each. */
  private async append(accepted: readonly AcceptedMessage[], outcomes: ReceiveOutcome[]): Promise<void> {
    const [first] = accepted;
    if (first === undefined) return;
    const { channel } = first;
    const appended = await this.messageLog.appendAll(
      channel,
      accepted.map(({ message }) => message),
    );
    for (const [appendIndex, { index, message }] of accepted.entries()) {
      const result = appended[appendIndex];
      if (result?.status !== 'fulfilled') {
        outcomes[index] = result ?? {
          status: 'rejected',
          reason: new RangeError('appendAll returned no outcome for a message'),
        };
        continue;
      }
      const { position, repeated } = result.value;
      const { topic, correlationId } = message;
      const messageId = toMessageId(channel.fqcn, position);
      this.acceptedCounter.inc({ repeated: String(repeated) });
      this.log.debug(
        { channel: channel.fqcn, topic, messageId, repeated, correlationId },
        'message appended',
      );
      outcomes[index] = { status: 'fulfilled', value: messageId };
    }
  }
}

/** The CPU-bound checks of one request. The instance is the key by which the slicer alternates between requests. */
class SlicedChecks implements MessageChecks {
  constructor(
    private readonly slicer: TimeSlicer,
    private readonly schemas: SchemaValidator,
    private readonly scheme: SignatureScheme,
  ) {}

  validatePayload(schema: string, payload: string): Promise<readonly SchemaProblem[]> {
    return this.slicer.run(this, () => this.schemas.validate(schema, payload));
  }

  verifySignature(payload: string, signature: string, sender: Did): Promise<SenderVerdict> {
    return this.slicer.run(this, () => verifyMessage(payload, signature, sender, this.scheme));
  }
}

function toNewMessage(
  { payload, signature, correlationId }: PublishRequest,
  topic: string,
  sender: Did,
): NewMessage {
  return { topic, payload, signature, sender, ...(correlationId !== undefined && { correlationId }) };
}
