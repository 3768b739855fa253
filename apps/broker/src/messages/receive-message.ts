import { Inject, Injectable } from '@nestjs/common';
import type { PublishRequest } from '@ssb/bus';
import { verifyMessage, type Did } from '@ssb/identity';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { refusalError } from '../errors/bus-error.js';
import { accept, type AcceptContext, type Acceptance } from './accept-message.js';
import { logChannel } from '../channels/channel.js';
import { messageId } from './bus-message.js';
import { Directory, type Grounds } from '../permissions/permission.service.js';
import { EventLoopShare } from './time-slicer.js';
import { MESSAGE_LOG } from '../storage/message-log.js';
import type { Appended, LogChannel, MessageLog, NewMessage } from '../storage/message-log.js';
import { SchemaChecks } from '../channels/schema/schema-validator.js';
import type { Settings } from '../settings.js';

/** Who sent one message, or several together: the broker computes for its requests by turns. */
interface Request {
  readonly sender: Did;
}

/** A message that may enter the log of its channel. */
interface Admitted {
  readonly channel: LogChannel;
  readonly message: NewMessage;
}

/**
 * How a message is received. A logged-in sender posts a signed message:
 *   who is it and what may it do → decide (rights, topic, size, schema, signature) → append durably → its id.
 * The id is given only once the message is in the log; a repeat gets the first one's id. Messages that come together are each judged by
 * themselves; those that are taken are appended together, in their order.
 */
@Injectable()
export class ReceiveMessage {
  private readonly share = new EventLoopShare();
  private readonly accepted;
  private readonly refused;

  constructor(
    private readonly directory: Directory,
    private readonly schemas: SchemaChecks,
    @Inject(MESSAGE_LOG) private readonly messages: MessageLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME'>,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.accepted = metrics.counter({
      name: 'broker_messages_accepted_total',
      help: 'Messages taken; repeated ones got the id of the first.',
      labelNames: ['repeated'],
    });
    this.refused = metrics.counter({
      name: 'broker_messages_refused_total',
      help: 'Messages refused, by reason.',
      labelNames: ['reason'],
    });
  }

  /**
   * @returns the message's id
   * @throws BusError when the message is refused, EngineUnavailableError when it could not be stored (it may be sent again)
   */
  async receive(sender: Did, message: PublishRequest): Promise<string> {
    const [outcome = NO_OUTCOME] = await this.appendTogether([await this.admit({ sender }, message)]);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** For each of them, in their order, what `receive` returns or throws. Never rejects. */
  async receiveAll(
    sender: Did,
    messages: readonly PublishRequest[],
  ): Promise<readonly PromiseSettledResult<string>[]> {
    const request = { sender };
    const judged = await Promise.allSettled(messages.map((message) => this.admit(request, message)));
    const channels = new Map<string, Admitted[]>();
    for (const each of judged) {
      if (each.status === 'rejected') continue;
      const { fqcn } = each.value.channel;
      const together = channels.get(fqcn);
      if (together) together.push(each.value);
      else channels.set(fqcn, [each.value]);
    }
    const outcomes = new Map<Admitted, PromiseSettledResult<string>>();
    await Promise.all(
      [...channels.values()].map(async (together) => {
        const ids = await this.appendTogether(together);
        for (const [place, admitted] of together.entries()) outcomes.set(admitted, ids[place] ?? NO_OUTCOME);
      }),
    );
    return judged.map((each) =>
      each.status === 'rejected' ? each : (outcomes.get(each.value) ?? NO_OUTCOME),
    );
  }

  /** Appends messages of one channel, in their order. */
  private async appendTogether(together: readonly Admitted[]): Promise<PromiseSettledResult<string>[]> {
    const [first] = together;
    if (first === undefined) return [];
    const messages = together.map(({ message }) => message);
    const results = await this.messages.appendAll(first.channel, messages);
    return together.map((admitted, place) => {
      const result = results[place] ?? NO_OUTCOME;
      if (result.status === 'rejected') return result;
      return { status: 'fulfilled', value: this.named(admitted, result.value) };
    });
  }

  private async admit(request: Request, message: PublishRequest): Promise<Admitted> {
    const { channel, topic } = this.demand(await this.decide(request, message), message);
    return {
      channel: logChannel(channel),
      message: { ...pick(message), topic, sender: request.sender },
    };
  }

  private named({ channel: { fqcn }, message }: Admitted, { position, repeated }: Appended): string {
    const id = messageId(fqcn, position);
    const { topic, correlationId } = message;
    this.accepted.inc({ repeated: String(repeated) });
    this.log.debug({ fqcn, topic, id, repeated, correlationId }, 'message appended');
    return id;
  }

  /** Nothing is refused by what was remembered: who was given a right at another broker has it at once. */
  private async decide(request: Request, message: PublishRequest): Promise<Acceptance> {
    const { sender } = request;
    const recent = await this.judge(
      request,
      message,
      await this.directory.recentGrounds(sender, message.fqcn),
    );
    if (recent.ok || recent.refusal.kind === 'bad-signature') return recent;
    return this.judge(request, message, await this.directory.grounds(sender, message.fqcn));
  }

  private judge(
    request: Request,
    message: PublishRequest,
    { standing, channel }: Grounds,
  ): Promise<Acceptance> {
    const { sender } = request;
    const context: AcceptContext = {
      userRole: this.directory.userRole,
      channel,
      did: sender,
      check: (schema, payload) => this.share.run(request, () => this.schemas.check(schema, payload)),
      signatureProblem: (payload, signature) =>
        this.share.run(request, () => {
          const verdict = verifyMessage(payload, signature, sender, this.settings.SIGNATURE_SCHEME);
          return verdict.ok ? undefined : verdict.reason;
        }),
    };
    return accept(message, standing, context);
  }

  private demand(acceptance: Acceptance, { fqcn }: PublishRequest): Extract<Acceptance, { ok: true }> {
    if (acceptance.ok) return acceptance;
    const { refusal } = acceptance;
    this.refused.inc({ reason: refusal.kind });
    this.log.debug({ fqcn, reason: refusal.kind }, 'message refused');
    throw refusalError(refusal);
  }
}

const NO_OUTCOME = { status: 'rejected', reason: new RangeError('a message got no outcome') } as const;

function pick({ payload, signature, correlationId }: PublishRequest) {
  return { payload, signature, ...(correlationId !== undefined && { correlationId }) };
}
