import {
  frameText,
  streamRequest,
  type RoleState,
  type StreamRequest,
  type SubscribeRequest,
} from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import type { RawData, WebSocket } from 'ws';
import { BusError, type BusErrorCode } from '../errors/bus-error.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { RoleRepository } from '../storage/redis/role.repository.js';
import { FrameWriter, StreamClosedError } from './frame-writer.js';
import { Subscription, type SubscriptionDependencies } from './subscription.js';

/** More than the WebSocket clients that a gateway serves by default. */
const MAX_SUBSCRIPTIONS = 2_100;

/** The socket is paused while this many subscriptions wait for their first access check. */
const MAX_STARTING_SUBSCRIPTIONS = 500;

/** The WebSocket connection of one gateway: its subscriptions and the states of its claims. */
export class StreamConnection {
  readonly address: string;
  private readonly writer: FrameWriter;
  private readonly subscriptions = new Map<string, Subscription>();
  private starting = 0;
  private readonly sentClaims = new Map<string, RoleState>();
  private lastClaimUpdate: Promise<void> = Promise.resolve();

  constructor(
    private readonly did: Did,
    private readonly socket: WebSocket,
    private readonly roles: RoleRepository,
    private readonly dependencies: SubscriptionDependencies,
  ) {
    this.address = lowerCaseAddress(did);
    this.writer = new FrameWriter(socket);
    socket.on('message', (data, binary) => this.receive(data, binary));
    // A disconnected gateway may have missed a decision.
    this.updateClaims();
  }

  /** Called after each change at any broker; undefined when anything may have changed. */
  notifyChanged(change: Change | undefined): void {
    if (change?.kind === 'role' && change.address !== this.address) return;
    for (const subscription of this.subscriptions.values()) subscription.notifyChanged(change);
    if (change === undefined || change.kind === 'role') this.updateClaims();
  }

  /** Ends every subscription after its acknowledged offsets are stored. Never rejects. */
  async close(): Promise<void> {
    const subscriptions = [...this.subscriptions.values()];
    this.subscriptions.clear();
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  private receive(data: RawData, binary: boolean): void {
    const request = binary ? undefined : parseRequest(data);
    if (!request) {
      this.sendError('BUS::INVALID_REQUEST', 'The frame is not a request of bus-stream.v1.');
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
      this.sendError('BUS::TOO_MANY_REQUESTS', reason, name);
      return;
    }
    const subscription = new Subscription(this.did, request, this.writer, this.dependencies, () => {
      if (this.subscriptions.get(name) === subscription) this.unsubscribe(name);
    });
    this.subscriptions.set(name, subscription);
    void this.start(subscription);
  }

  /** A frame costs its sender little but the broker an access check, so many starting subscriptions pause the socket. */
  private async start(subscription: Subscription): Promise<void> {
    this.starting += 1;
    if (this.starting >= MAX_STARTING_SUBSCRIPTIONS) this.socket.pause();
    await subscription.start();
    this.starting -= 1;
    if (this.socket.isPaused && this.starting < MAX_STARTING_SUBSCRIPTIONS) this.socket.resume();
  }

  private unsubscribe(name: string): void {
    const subscription = this.subscriptions.get(name);
    this.subscriptions.delete(name);
    void subscription?.close();
  }

  /** Sends changed claims, after the previous update. */
  private updateClaims(): void {
    this.lastClaimUpdate = this.lastClaimUpdate
      .then(() => this.sendClaims())
      .catch((error: unknown) => {
        if (error instanceof StreamClosedError) return;
        // After Redis is back, a change notification updates the claims again.
        this.dependencies.log.warn({ err: error }, 'claim update failed');
      });
  }

  private async sendClaims(): Promise<void> {
    for (const { role, state } of await this.roles.findByAddress(this.address)) {
      if (this.sentClaims.get(role) === state) continue;
      await this.writer.send({ type: 'claim', role, state });
      this.sentClaims.set(role, state);
    }
  }

  private sendError(code: BusErrorCode, reason: string, subscription?: string): void {
    const { err } = new BusError(code, reason).body();
    this.writer
      .send({ type: 'error', ...(subscription !== undefined && { subscription }), err })
      .catch((error: unknown) => this.dependencies.log.debug({ err: error }, 'error frame send failed'));
  }
}

function parseRequest(data: RawData): StreamRequest | undefined {
  try {
    return streamRequest.safeParse(JSON.parse(frameText(data))).data;
  } catch {
    return undefined;
  }
}
