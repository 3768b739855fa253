import type { EmailSinkConfig } from '@ssb/config';
import { withTimeout, type DeliveryOutcome } from '@ssb/net';
import { Semaphore } from 'async-mutex';
import type { SendMailOptions } from 'nodemailer';
import { describeMessage } from '../../content/describe-message.js';
import type { AlertSink, SinkMessage } from '../alert-sink.js';
import { CREDENTIAL } from '../sink-files.js';
import { tlsFiles, type SinkKind } from '../sink-kind.js';
import { renderMail } from './render-mail.js';
import { sendMail, type SmtpOptions } from './smtp-client.js';

export interface EmailSinkOptions extends SmtpOptions {
  /** An address. */
  readonly from: string;
  /** Addresses. */
  readonly to: readonly string[];
  /** Mails that are sent at the same time. */
  readonly connections: number;
  /** Address of the console for links. */
  readonly consoleUrl?: string | undefined;
}

/** Sends each delivery as a mail to people. Mails of one problem are one thread. */
export class EmailSink implements AlertSink {
  private readonly closing = new AbortController();
  private readonly domain: string;
  private readonly slots: Semaphore;

  constructor(
    readonly name: string,
    private readonly options: EmailSinkOptions,
  ) {
    this.slots = new Semaphore(options.connections);
    this.domain = options.from.slice(options.from.lastIndexOf('@') + 1);
  }

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { from, to, consoleUrl } = this.options;
    const { problemId, severity, kind } = message;
    const content = renderMail(describeMessage(message, consoleUrl));
    // No mail has this id. Mail programs group by it nevertheless (RFC 5322, section 3.6.4).
    const thread = problemId === null ? undefined : this.messageId(`problem.${problemId}`);
    const mail = {
      from,
      to: [...to],
      ...content,
      messageId: this.messageId(message.eventId),
      ...(thread !== undefined && { inReplyTo: thread, references: thread }),
      priority: severity === 'critical' && kind !== 'resolved' ? ('high' as const) : ('normal' as const),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Bridge-Kind': kind, 'X-Bridge-Severity': severity },
    };
    return this.send(mail, AbortSignal.any([signal, this.closing.signal]));
  }

  close(): Promise<void> {
    this.closing.abort();
    return Promise.resolve();
  }

  /** Waits for a free connection. */
  private async send(mail: SendMailOptions, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { timeoutMs } = this.options;
    const slot = this.slots.acquire();
    try {
      await withTimeout(slot, timeoutMs, signal);
      return await sendMail(this.options, mail, signal);
    } catch {
      return signal.aborted ? { kind: 'unreachable', detail: 'aborted' } : { kind: 'timeout' };
    } finally {
      void slot.then(([, release]) => release());
    }
  }

  private messageId(name: string): string {
    return `<${name}@${this.domain}>`;
  }
}

const DEFAULT_PORTS = { starttls: 587, implicit: 465, none: 25 } as const;

export const EMAIL_KIND: SinkKind<EmailSinkConfig> = {
  files: (config, pathOf) => ({
    texts: config.passwordFile === undefined ? [] : [{ path: pathOf(config.passwordFile), form: CREDENTIAL }],
    tls: tlsFiles(config, pathOf),
  }),
  open: ({ name, host, port, tls: security, username, passwordFile, from, to }, context) => {
    const { files, pathOf, timeoutMs, connections, consoleUrl } = context;
    return new EmailSink(name, {
      host,
      port: port ?? DEFAULT_PORTS[security],
      security,
      username,
      password: () => passwordFile && files.text(pathOf(passwordFile)),
      from,
      to,
      consoleUrl,
      timeoutMs,
      connections,
      connection: files.connection,
    });
  },
};
