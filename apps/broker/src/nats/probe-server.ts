import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { hostOf, type NatsTls } from './nats-tls.js';

/** What a server says in its first line (docs.nats.io, "Client Protocol", INFO), as far as it decides whether we are let in. */
export interface Greeting {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
  /** It wants a client certificate. */
  readonly tls_verify?: boolean;
  readonly auth_required?: boolean;
}

export interface Probe {
  readonly greeting: Greeting;
  /** Why there was no TLS, when there should have been. */
  readonly tlsFailure?: Error;
}

const DEFAULT_PORT = 4222;
const LONGEST_GREETING = 65_536;

/**
 * Looks how a server takes us: its greeting, and then TLS up to the first byte that comes through it. A client certificate that is refused
 * shows only there, and the client library would tell it as a server that does not answer.
 * @returns undefined when the server is away or does not greet in time
 */
export async function probeServer(url: string, tls: NatsTls, timeoutMs: number): Promise<Probe | undefined> {
  const { port } = new URL(url);
  const host = hostOf(url);
  const socket = connectTcp(port === '' ? DEFAULT_PORT : Number(port), host);
  try {
    const greeting = await greetingOn(socket, timeoutMs);
    if (greeting === undefined) return undefined;
    if (!offersTls(greeting)) return { greeting };
    const tlsFailure = await failureOfTls(socket, host, tls, timeoutMs);
    return tlsFailure === undefined ? { greeting } : { greeting, tlsFailure };
  } finally {
    socket.destroy();
  }
}

export function offersTls({ tls_required, tls_available }: Greeting): boolean {
  return tls_required === true || tls_available === true;
}

function greetingOn(socket: Socket, timeoutMs: number): Promise<Greeting | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const settle = (greeting: Greeting | undefined): void => {
      socket.removeAllListeners();
      resolve(greeting);
    };
    socket.setTimeout(timeoutMs, () => settle(undefined));
    socket.once('error', () => settle(undefined));
    socket.once('close', () => settle(undefined));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\r\n');
      if (end >= 0) settle(parseGreeting(text.slice(0, end)));
      else if (text.length > LONGEST_GREETING) settle(undefined);
    });
  });
}

/** Undefined for what no NATS server says. */
function parseGreeting(line: string): Greeting | undefined {
  const [, json] = /^INFO\s+(\{.*\})\s*$/i.exec(line) ?? [];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as Greeting;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function failureOfTls(
  socket: Socket,
  host: string,
  { caFile, certFile, keyFile, checkServerIdentity }: NatsTls,
  timeoutMs: number,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const options: ConnectionOptions = {
      socket,
      checkServerIdentity,
      ...(isIP(host) === 0 && { servername: host }),
      ...(caFile !== undefined && { ca: readFileSync(caFile) }),
      ...(certFile !== undefined && { cert: readFileSync(certFile) }),
      ...(keyFile !== undefined && { key: readFileSync(keyFile) }),
    };
    const secured = connectTls(options);
    const settle = (failure: Error | undefined): void => {
      secured.removeAllListeners();
      secured.on('error', ignoreLater);
      secured.destroy();
      resolve(failure);
    };
    secured.setTimeout(timeoutMs, () => settle(new Error('the server said nothing over TLS')));
    secured.once('error', settle);
    secured.once('close', () => settle(new Error('the server closed the connection')));
    secured.once('secureConnect', () => secured.write('PING\r\n'));
    secured.once('data', () => settle(undefined));
  });
}

/** The probe has its answer; what becomes of its connection is nobody's business. */
function ignoreLater(): void {
  return;
}
