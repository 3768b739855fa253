import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Callers } from '../access/client-certificates.js';
import { ActiveFaults } from './active-faults.js';
import { applyBeforeAnswer, type BeforeAnswer, type Hit } from './before-answer.js';
import { applyInBody } from './in-body.js';

/**
 * Applies the active faults at the participants' port: before the service sees a request, and to a 200 body. Every fault that hits a
 * request is applied, in the order set, until one has answered.
 */
@Injectable()
export class FaultInjection implements OnModuleInit {
  private readonly closing = new AbortController();
  /** The TCP socket of each connection, by the peer's address: only it can be reset, and a TLS socket does not show it. */
  private readonly tcpSockets = new Map<string, Socket>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly callers: Callers,
    private readonly faults: ActiveFaults,
  ) {}

  onModuleInit(): void {
    const { faults, closing } = this;
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.server.on('connection', (socket: Socket) => this.keep(socket));
    server.addHook('preClose', (done) => {
      closing.abort();
      done();
    });
    server.addHook('onRequest', (request, reply, done) => {
      if (faults.isEmpty) return done();
      this.before(request, reply).then(
        (outcome) => (outcome === 'goes-on' ? done() : undefined),
        (error: unknown) => done(error as Error),
      );
    });
    server.addHook('onSend', (request, reply, payload, done) => {
      if (faults.isEmpty || reply.statusCode !== 200 || request.method === 'HEAD') return done(null, payload);
      if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return done(null, payload);
      let body: string | Uint8Array | undefined = payload;
      for (const hit of this.hitsOn(request, reply)) {
        body = applyInBody(hit, body);
        if (body === undefined) return;
      }
      done(null, body);
    });
  }

  private async before(request: FastifyRequest, reply: FastifyReply): Promise<BeforeAnswer> {
    for (const hit of this.hitsOn(request, reply))
      if ((await applyBeforeAnswer(hit, this.closing.signal)) === 'answered') return 'answered';
    return 'goes-on';
  }

  private hitsOn(request: FastifyRequest, reply: FastifyReply): Hit[] {
    const caller = this.callers.of(request.raw);
    const participant = caller.ok ? caller.participant : undefined;
    const reset = (): void => this.reset(request.raw.socket);
    return this.faults
      .hitting({ participant, path: routedPath(request) })
      .map((fault) => ({ fault, request, reply, participant, reset, claim: () => this.faults.claim(fault) }));
  }

  private keep(socket: Socket): void {
    const peer = peerOf(socket);
    this.tcpSockets.set(peer, socket);
    socket.once('close', () => {
      if (this.tcpSockets.get(peer) === socket) this.tcpSockets.delete(peer);
    });
  }

  /** Ends a connection as a crash or a firewall does: what was not yet delivered is lost (RFC 9293 §3.5.3). */
  private reset(socket: Socket): void {
    const tcp = socket instanceof TLSSocket ? this.tcpSockets.get(peerOf(socket)) : socket;
    if (tcp === undefined) socket.destroy();
    else tcp.resetAndDestroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * The path of the operation that the request reaches, however it is encoded (RFC 3986 §6.2.2.2, RFC 9112 §3.2.2).
 * A slash in a parameter stays encoded.
 */
function routedPath({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>;
  return url.replace(/:(\w+)/g, (_, name: string) => (values[name] ?? '').replaceAll('/', '%2F'));
}
