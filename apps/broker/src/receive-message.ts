import { verifyMessage, type Did } from '@ssb/identity';
import type { Logger, Metrics } from '@ssb/platform';
import { appendAdmitted, type Admitted } from './append-admitted.js';
import { refusalError } from './bus-error.js';
import { accept, type AcceptContext, type Acceptance, type PostedMessage } from './domain/accept.js';
import { messageId } from './domain/message-id.js';
import type { Directory, Grounds } from './directory.js';
import type { EventLoopShare } from './event-loop-share.js';
import { logChannel } from './ports/log-channel.js';
import type { Appended, MessageLog } from './ports/message-log.js';
import type { SchemaChecks } from './schema-checks.js';
import type { Settings } from './settings.js';

/** Who sent one message, or several together: the broker computes for its requests by turns. */
interface Request {
  readonly sender: Did;
}

/**
 * The broker's main road. A logged-in sender posts a signed message:
 *   who is it and what may it do → decide (rights, topic, size, schema, signature) → append durably → its id.
 * The id is given only once the message is in the log; a repeat gets the first one's id. Messages that come together are each judged by
 * themselves; those that are taken are appended together, in their order.
 */
export class ReceiveMessage {
  private readonly accepted;
  private readonly refused;

  constructor(
    private readonly directory: Directory,
    private readonly schemas: SchemaChecks,
    private readonly messages: MessageLog,
    private readonly share: EventLoopShare,
    private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME'>,
    private readonly log: Logger,
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
  async receive(sender: Did, message: PostedMessage): Promise<string> {
    const admitted = await this.admit({ sender }, message);
    return this.named(admitted, await this.messages.append(admitted.channel, admitted.message));
  }

  /** For each of them, in their order, what `receive` returns or throws. Never rejects. */
  async receiveAll(
    sender: Did,
    messages: readonly PostedMessage[],
  ): Promise<readonly PromiseSettledResult<string>[]> {
    const request = { sender };
    const judged = await Promise.allSettled(messages.map((message) => this.admit(request, message)));
    const admitted = judged.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const appended = await appendAdmitted(this.messages, admitted);
    return judged.map((each): PromiseSettledResult<string> => {
      if (each.status === 'rejected') return each;
      const result = appended.get(each.value);
      return result?.status === 'fulfilled'
        ? { status: 'fulfilled', value: this.named(each.value, result.value) }
        : (result ?? { status: 'rejected', reason: new RangeError('a message got no outcome') });
    });
  }

  private async admit(request: Request, message: PostedMessage): Promise<Admitted> {
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
  private async decide(request: Request, message: PostedMessage): Promise<Acceptance> {
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
    message: PostedMessage,
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

  private demand(acceptance: Acceptance, { fqcn }: PostedMessage): Extract<Acceptance, { ok: true }> {
    if (acceptance.ok) return acceptance;
    const { refusal } = acceptance;
    this.refused.inc({ reason: refusal.kind });
    this.log.debug({ fqcn, reason: refusal.kind }, 'message refused');
    throw refusalError(refusal);
  }
}

function pick({ payload, signature, correlationId }: PostedMessage) {
  return { payload, signature, ...(correlationId !== undefined && { correlationId }) };
}
