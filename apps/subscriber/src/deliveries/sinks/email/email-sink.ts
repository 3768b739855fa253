import type { DeliveryOutcome } from '@ssb/net';
import { describeMessage } from '../../content/describe-message.js';
import type { AlertSink, SinkMessage } from '../alert-sink.js';
import { renderMail } from './render-mail.js';
import { sendMail, type SmtpOptions } from './smtp-client.js';

export interface EmailSinkOptions extends SmtpOptions {
  /** An address. */
  readonly from: string;
  /** Addresses. */
  readonly to: readonly string[];
  /** Address of the console for links. */
  readonly consoleUrl?: string | undefined;
}

/** Sends each delivery as a mail to people. Mails of one problem are one thread. */
export class EmailSink implements AlertSink {
  private readonly closing = new AbortController();
  private readonly domain: string;

  constructor(
    readonly name: string,
    private readonly options: EmailSinkOptions,
  ) {
    this.domain = options.from.slice(options.from.lastIndexOf('@') + 1);
  }

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { from, to, consoleUrl } = this.options;
    const { problemId, severity = 'info', kind } = message;
    const content = renderMail(describeMessage(message, consoleUrl));
    // No mail has this id. Mail programs group by it nevertheless (RFC 5322, section 3.6.4).
    const thread = problemId == null ? undefined : this.messageId(`problem.${problemId}`);
    const mail = {
      from,
      to: [...to],
      ...content,
      messageId: this.messageId(message.eventId),
      ...(thread !== undefined && { inReplyTo: thread, references: thread }),
      priority: severity === 'critical' && kind !== 'resolved' ? ('high' as const) : ('normal' as const),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Bridge-Kind': kind, 'X-Bridge-Severity': severity },
    };
    return sendMail(this.options, mail, AbortSignal.any([signal, this.closing.signal]));
  }

  close(): Promise<void> {
    this.closing.abort();
    return Promise.resolve();
  }

  private messageId(name: string): string {
    return `<${name}@${this.domain}>`;
  }
}
