import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The source of the mail (RFC 5322). */
  readonly source: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** A mail server on loopback that keeps what it accepts. */
export async function startSmtpReceiver(options: SMTPServerOptions) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    closeTimeout: 100,
    ...options,
    onData(stream, session, callback) {
      const read = text(stream).catch(() => undefined);
      void read.then((source) => {
        // The client has left before the end of its mail.
        if (source === undefined) return;
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        });
        if (options.onData) options.onData(stream, session, callback);
        else callback();
      });
    },
  });
  // A client that refuses the certificate ends its connection.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    mails,
    server: server.server,
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type SmtpReceiver = Awaited<ReturnType<typeof startSmtpReceiver>>;

/** The parts of a mail with several, decoded (RFC 2045, section 6.7). */
export function readParts(source: string): readonly string[] {
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1] ?? '';
  return source
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const body = part.slice(part.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');
      if (!/quoted-printable/i.test(part)) return body;
      const bytes = body
        .replace(/=\n/g, '')
        .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, 'latin1').toString('utf8');
    });
}

/** The header fields, unfolded. */
export function readHeaders(source: string): ReadonlyMap<string, string> {
  const head = source.slice(0, source.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  return new Map(
    head.split('\r\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}
