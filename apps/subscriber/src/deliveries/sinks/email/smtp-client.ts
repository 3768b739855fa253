import { connect, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  NetworkNotAllowedError,
  toPlainAddress,
  toResponseText,
  type ClientConnection,
  type DeliveryOutcome,
} from '@ssb/net';
import { createTransport, type SendMailOptions } from 'nodemailer';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `starttls`: a server that offers no TLS is not used. `implicit`: TLS from the start. `none`: only for a server on loopback. */
  readonly security: 'starttls' | 'implicit' | 'none';
  readonly username?: string | undefined;
  /** Read for each attempt, because its file can change. */
  readonly password?: (() => string | undefined) | undefined;
  /** Time for the whole attempt. */
  readonly timeoutMs: number;
  /** Certificates and allowed networks. A mail uses no HTTP proxy. */
  readonly connection: ClientConnection;
}

/** Limit of one response of the server. */
const MAX_RESPONSE_BYTES = 16_384;

/** Sends a mail over a connection of its own. Never rejects because of the server or the network. */
export async function sendMail(
  options: SmtpOptions,
  mail: SendMailOptions,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const ended = AbortSignal.any([timeout, signal]);
  const secrets = listSecrets(options);
  let socket: Socket | undefined;
  try {
    socket = await openSocket(options, ended);
    const transport = createTransport(transportOptions(options, socket));
    const { accepted, rejected, response } = await transport.sendMail({ ...mail, signal: ended });
    const refused = rejected.length === 0 ? '' : `; refused recipients: ${rejected.join(', ')}`;
    return {
      kind: 'delivered',
      status: 250,
      response: toResponseText(`accepted for ${accepted.length}${refused}: ${response}`, secrets),
    };
  } catch (error) {
    if (signal.aborted) return { kind: 'unreachable', detail: 'aborted' };
    if (timeout.aborted) return { kind: 'timeout' };
    return toOutcome(error, secrets);
  } finally {
    socket?.destroy();
  }
}

function transportOptions(options: SmtpOptions, socket: Socket) {
  const { host, port, security, username, password, timeoutMs, connection } = options;
  return {
    host,
    port,
    connection: socket,
    secure: security === 'implicit',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { ...connection.tls, checkServerIdentity, ...(isIP(host) === 0 && { servername: host }) },
    ...(username !== undefined && { auth: { user: username, pass: password?.() ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** @throws NetworkNotAllowedError when no allowed network contains the address of the server */
function openSocket({ host, port, connection }: SmtpOptions, signal: AbortSignal): Promise<Socket> {
  const { allowedNetworks } = connection;
  const address = toPlainAddress(host);
  // Node does not look up an address.
  if (isIP(address) !== 0 && allowedNetworks?.includes(address) === false)
    return Promise.reject(new NetworkNotAllowedError([address]));
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      ...(allowedNetworks && { lookup: allowedNetworks.lookup }),
    });
    const abort = (): void => void socket.destroy(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** What a response may repeat: the password, and its forms of AUTH LOGIN and AUTH PLAIN (RFC 4616). */
function listSecrets({ username = '', password }: SmtpOptions): string[] {
  const secret = password?.() ?? '';
  const encoded = [secret, `\0${username}\0${secret}`].map((text) => Buffer.from(text).toString('base64'));
  return secret === '' ? [] : [secret, ...encoded];
}

interface SmtpError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** RFC 5321, section 4.2.1: the server may accept the same mail again after 4yz, and refuses it after 5yz. */
function toOutcome(error: unknown, secrets: readonly string[]): DeliveryOutcome {
  if (error instanceof NetworkNotAllowedError) return { kind: 'network-not-allowed' };
  const { code, responseCode: status, response = '' } = error as SmtpError;
  if (status !== undefined) {
    return {
      kind: 'rejected',
      status,
      permanent: status >= 500,
      response: toResponseText(response, secrets),
    };
  }
  return { kind: 'unreachable', detail: code ?? 'unknown failure' };
}
