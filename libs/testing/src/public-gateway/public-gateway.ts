import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePort } from '@ssb/dev/free-ports';
import { waitForClosedPort } from '../wait-for.js';
import { EventsServer, type EventsOptions } from './events-server.js';
import {
  DEFAULT_TOPIC,
  type ConsumerKey,
  type LoggedMessage,
  MessageLog,
  type MessageSigner,
  type NewMessage,
  PUSH_CLIENT,
  type PublicChannel,
} from './message-log.js';
import {
  GatewayOperations,
  isChannelName,
  type OperationsOptions,
  type PublicRoleState,
} from './operations.js';
import { RestApi, type Documents } from './rest-api.js';

export interface PublicGatewayOptions extends OperationsOptions, EventsOptions {
  /** Default `bridge`. */
  readonly username?: string;
  /** Default `password`. */
  readonly password?: string;
  /** What the gateway publishes about itself. Default `published`. */
  readonly documents?: Documents;
}

/** A request, or the upgrade to a WebSocket. */
export interface PublicGatewayRequest {
  readonly method: string;
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** Undefined without a response. */
  readonly status: number | undefined;
}

/**
 * The public gateway of version 0.6.1 as measured, with its deviations from document 002, and nothing else. It shares no code with
 * `@ssb/bus`, and signs with ethers.
 */
export class PublicGateway {
  readonly requests: PublicGatewayRequest[] = [];
  /** The clock of the timestamps, nanoseconds. */
  now: () => bigint = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
  private readonly log = new MessageLog();
  private readonly operations: GatewayOperations;
  private readonly rest: RestApi;
  private readonly events: EventsServer;
  private readonly authorization: string;
  /** Upgrades without a response. */
  private readonly pending = new Set<Duplex>();
  private server: Server | undefined;
  private port = 0;
  private isResponding = true;
  private responsesToLose = 0;

  /** @param signer identity of the gateway */
  constructor(signer: MessageSigner, publicKey: string, options: PublicGatewayOptions) {
    const { username = 'bridge', password = 'password', documents = 'published' } = options;
    this.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    this.operations = new GatewayOperations(this.log, signer, options, () => this.now());
    this.rest = new RestApi(this.operations, publicKey, documents);
    this.events = new EventsServer(this.operations, options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** DID of the gateway's identity, the sender of what its clients send. */
  get did(): string {
    return this.operations.did;
  }

  /** State of the user role. */
  get roleState(): PublicRoleState {
    return this.operations.roleState;
  }

  set roleState(state: PublicRoleState) {
    this.operations.roleState = state;
  }

  get channels(): PublicChannel[] {
    return [...this.log.channels.values()];
  }

  /** The durable consumers that reads created. The real broker keeps them indefinitely. */
  get consumers(): ConsumerKey[] {
    return this.log.consumers;
  }

  /** Frames of clients that break the protocol. */
  get violations(): readonly string[] {
    return this.events.violations;
  }

  /** Open WebSockets. */
  get connections(): number {
    return this.events.connections;
  }

  /** Listens; after `stop` again on the same port, with the same channels and messages. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.serve(request, response));
    server.on('upgrade', (request: IncomingMessage, socket, head) => this.upgrade(request, socket, head));
    this.port ||= await freePort();
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
    this.events.startPush();
  }

  /** Closes all connections. Idempotent. */
  async stop(): Promise<void> {
    this.events.stopPush();
    this.server?.close();
    this.dropConnections();
    this.server = undefined;
    await waitForClosedPort(this.port);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  dropConnections(): void {
    this.events.dropConnections();
    for (const socket of this.pending) socket.destroy();
    this.server?.closeAllConnections();
  }

  startPush(): void {
    this.events.startPush();
  }

  /** Messages stay at the broker until `startPush`. */
  stopPush(): void {
    this.events.stopPush();
  }

  /** Without responses, requests still have their effect. */
  setResponding(isResponding: boolean): void {
    this.isResponding = isResponding;
  }

  /** The next reads of messages have their effect, and their connection ends instead of a response. */
  loseResponses(count: number): void {
    this.responsesToLose = count;
  }

  /** Reads whose response is still to be lost. */
  get losing(): number {
    return this.responsesToLose;
  }

  /**
   * Adds a channel, or replaces its topics and rights.
   * @param topics names, or names with their schema
   * @param rights DIDs; an omitted list permits everyone
   */
  addChannel(
    fqcn: string,
    topics: readonly (string | PublicChannel['topics'][number])[] = [DEFAULT_TOPIC],
    rights: Partial<Pick<PublicChannel, 'publishers' | 'subscribers'>> = {},
  ): void {
    if (!isChannelName(fqcn)) throw new Error(`The bus has no channel with the name ${fqcn}.`);
    const described = topics.map((topic) =>
      typeof topic === 'string'
        ? { namespace: topic, schema: {} }
        : { ...topic, schema: withoutIdentity(topic.schema) },
    );
    this.log.addChannel({ fqcn, topics: described, publishers: [], subscribers: [], ...rights });
  }

  /** A message that another gateway published. Default signer: the identity of this gateway. */
  append(fqcn: string, message: NewMessage & { readonly signer?: MessageSigner }): LoggedMessage {
    return this.log.append(fqcn, message, message.signer ?? this.operations.signer, this.now());
  }

  /** How many messages of a channel were pushed, whether a client was connected or not. */
  pushed(fqcn: string): number {
    return this.log.delivered({ fqcn, clientId: PUSH_CLIENT, from: '' });
  }

  messages(fqcn: string): readonly LoggedMessage[] {
    return this.log.messages(fqcn);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url = '' } = request;
    const [path = '', query = ''] = url.split('?', 2);
    const given = { method, path, query: new URLSearchParams(query), body };
    const { status, headers, body: content } = this.rest.respond(given, this.isAuthorized(request));
    if (this.responsesToLose > 0 && method === 'GET' && path === '/api/v1/message') {
      this.responsesToLose -= 1;
      this.record(request, undefined);
      request.socket.destroy();
      return;
    }
    this.record(request, this.isResponding ? status : undefined);
    if (this.isResponding) response.writeHead(status, headers).end(content ?? '');
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (!this.isResponding) {
      this.pending.add(socket);
      socket.once('close', () => this.pending.delete(socket));
      return this.record(request, undefined);
    }
    this.record(request, this.events.upgrade(request, socket, head, this.isAuthorized(request)));
  }

  private isAuthorized({ headers }: IncomingMessage): boolean {
    return headers.authorization === this.authorization;
  }

  private record({ method = '', url = '' }: IncomingMessage, status: number | undefined): void {
    const [path = '', query = ''] = url.split('?', 2);
    this.requests.push({ method, path, query, status });
  }
}

/** The broker stores a schema without the members that name it and its draft. */
function withoutIdentity(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).filter(([member]) => member !== '$schema' && member !== '$id'),
  );
}

/** Starts the gateway with a random identity. */
export async function startPublicGateway(options: PublicGatewayOptions = {}): Promise<PublicGateway> {
  // Loaded here, because most users of this package do without it.
  const { Wallet } = await import('ethers');
  const wallet = Wallet.createRandom();
  const gateway = new PublicGateway(wallet, wallet.signingKey.publicKey, options);
  await gateway.start();
  return gateway;
}
