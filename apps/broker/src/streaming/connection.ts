import {
  frameText,
  streamRequest,
  type RoleState,
  type StreamRequest,
  type SubscribeRequest,
} from '@ssb/bus';
import { type Did, identityOf } from '@ssb/identity';
import type { RawData, WebSocket } from 'ws';
import { BusError, type BusErrorCode } from '../errors/bus-error.js';
import type { Change } from '../storage/redis/change-notifications.js';
import { Outlet, StreamClosedError } from './outlet.js';
import { Subscription, type StreamParts } from './subscription.js';

/** One for each WebSocket client that a gateway may serve, and some to spare. */
const MAX_SUBSCRIPTIONS = 2_100;

/** Subscriptions that have not been looked at for the first time; with so many the socket is read no further for a while. */
const MAX_BEGINNING = 500;

/** One gateway's stream: its subscriptions, and the decisions on its roles. */
export class Connection {
  readonly address: string;
  private readonly outlet: Outlet;
  private readonly subscriptions = new Map<string, Subscription>();
  private beginning = 0;
  private readonly told = new Map<string, RoleState>();
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly did: Did,
    private readonly socket: WebSocket,
    private readonly parts: StreamParts,
  ) {
    this.address = identityOf(did);
    this.outlet = new Outlet(socket);
    socket.on('message', (data, binary) => this.receive(data, binary));
    // A gateway that was away may have missed a decision: it is told how its claims stand.
    this.tellClaims();
  }

  /** A message was appended on this channel, or (undefined) may have been on any. */
  wake(fqcn: string | undefined): void {
    for (const subscription of this.subscriptions.values()) subscription.wake(fqcn);
  }

  /** Something changed, or (undefined) may have. */
  changed(change: Change | undefined): void {
    if (change?.kind === 'role' && change.address !== this.address) return;
    for (const subscription of this.subscriptions.values()) subscription.changed(change);
    if (change === undefined || change.kind === 'role') this.tellClaims();
  }

  /** Ends every subscription, having stored what is acknowledged. Never throws. */
  async close(): Promise<void> {
    const subscriptions = [...this.subscriptions.values()];
    this.subscriptions.clear();
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  private receive(data: RawData, binary: boolean): void {
    const request = binary ? undefined : parseRequest(data);
    if (!request) {
      this.complain('BUS::INVALID_REQUEST', 'The frame is none that bus-stream.v1 knows.');
      return;
    }
    switch (request.type) {
      case 'subscribe':
        this.subscribe(request);
        return;
      case 'ack':
        this.subscriptions.get(request.subscription)?.acknowledge(request.fqcn, request.ids);
        return;
      case 'unsubscribe':
        this.unsubscribe(request.subscription);
        return;
    }
  }

  private subscribe(request: SubscribeRequest): void {
    const name = request.subscription;
    this.unsubscribe(name);
    if (this.subscriptions.size >= MAX_SUBSCRIPTIONS) {
      const reason = `A stream carries ${MAX_SUBSCRIPTIONS} subscriptions.`;
      this.complain('BUS::TOO_MANY_REQUESTS', reason, name);
      return;
    }
    const subscription = new Subscription(this.did, request, this.outlet, this.parts, () => {
      if (this.subscriptions.get(name) === subscription) this.unsubscribe(name);
    });
    this.subscriptions.set(name, subscription);
    this.begin(subscription);
  }

  /** Frames cost their sender nothing, and each is to be looked up: who sends them faster waits. */
  private begin(subscription: Subscription): void {
    this.beginning += 1;
    if (this.beginning >= MAX_BEGINNING) this.socket.pause();
    void subscription.begin().then(() => {
      this.beginning -= 1;
      if (this.socket.isPaused && this.beginning < MAX_BEGINNING) this.socket.resume();
    });
  }

  private unsubscribe(name: string): void {
    const subscription = this.subscriptions.get(name);
    this.subscriptions.delete(name);
    void subscription?.close();
  }

  private tellClaims(): void {
    this.telling = this.telling
      .then(() => this.sendClaims())
      .catch((error: unknown) => {
        if (error instanceof StreamClosedError) return;
        // Redis is away: when it is back, everybody is told to look again.
        this.parts.log.warn({ err: error }, 'claims could not be read for a stream');
      });
  }

  private async sendClaims(): Promise<void> {
    for (const { role, state } of await this.parts.roles.of(this.address)) {
      if (this.told.get(role) === state) continue;
      await this.outlet.send({ type: 'claim', role, state });
      this.told.set(role, state);
    }
  }

  private complain(code: BusErrorCode, reason: string, subscription?: string): void {
    const { err } = new BusError(code, reason).body();
    this.outlet
      .send({ type: 'error', ...(subscription !== undefined && { subscription }), err })
      .catch((error: unknown) => this.parts.log.debug({ err: error }, 'a complaint found no stream'));
  }
}

function parseRequest(data: RawData): StreamRequest | undefined {
  try {
    return streamRequest.safeParse(JSON.parse(frameText(data))).data;
  } catch {
    return undefined;
  }
}
