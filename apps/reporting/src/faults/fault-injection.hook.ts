import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ClientCertificates } from '../access/client-certificates.js';
import { ActiveFaults } from './active-faults.js';
import { applyToRequest, type FaultMatch, type RequestOutcome } from './request-faults.js';
import { applyToResponse } from './response-faults.js';

/**
 * Applies the active faults at the participants' port: to each request before its handler, and to each 200 body.
 * Every matching fault is applied, in the order set, until one responds.
 */
@Injectable()
export class FaultInjectionHook implements OnModuleInit {
  private readonly closing = new AbortController();
  /** TCP sockets by the peer's address. A TLS socket does not expose its own, and only a TCP socket can be reset. */
  private readonly tcpSockets = new Map<string, Socket>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly certificates: ClientCertificates,
    private readonly faults: ActiveFaults,
  ) {}

  onModuleInit(): void {
    const { faults, closing } = this;
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.server.on('connection', (socket: Socket) => this.trackSocket(socket));
    server.addHook('preClose', (done) => {
      closing.abort();
      done();
    });
    server.addHook('onRequest', (request, reply, done) => {
      if (faults.isEmpty) return done();
      this.applyToRequest(request, reply).then(
        (outcome) => (outcome === 'continue' ? done() : undefined),
        (error: unknown) => done(error as Error),
      );
    });
    server.addHook('onSend', (request, reply, payload, done) => {
      if (faults.isEmpty || reply.statusCode !== 200 || request.method === 'HEAD') return done(null, payload);
      if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return done(null, payload);
      let body: string | Uint8Array | undefined = payload;
      for (const match of this.findMatches(request, reply)) {
        body = applyToResponse(match, body);
        if (body === undefined) return;
      }
      done(null, body);
    });
  }

  private async applyToRequest(request: FastifyRequest, reply: FastifyReply): Promise<RequestOutcome> {
    for (const match of this.findMatches(request, reply))
      if ((await applyToRequest(match, this.closing.signal)) === 'responded') return 'responded';
    return 'continue';
  }

  private findMatches(request: FastifyRequest, reply: FastifyReply): FaultMatch[] {
    const caller = this.certificates.identify(request.raw);
    const participant = caller.ok ? caller.participant : undefined;
    return this.faults.findMatching({ participant, path: routedPath(request) }).map((injected) => ({
      injected,
      request,
      reply,
      participant,
      claim: () => this.faults.claim(injected),
      reset: () => this.reset(request.raw.socket),
    }));
  }

  private trackSocket(socket: Socket): void {
    const peer = peerAddress(socket);
    this.tcpSockets.set(peer, socket);
    socket.once('close', () => {
      if (this.tcpSockets.get(peer) === socket) this.tcpSockets.delete(peer);
    });
  }

  /** Ends a connection as a crash or a firewall does: undelivered data is lost (RFC 9293 §3.5.3). */
  private reset(socket: Socket): void {
    const tcp = socket instanceof TLSSocket ? this.tcpSockets.get(peerAddress(socket)) : socket;
    if (tcp === undefined) socket.destroy();
    else tcp.resetAndDestroy();
  }
}

function peerAddress({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * The path by which the request was routed, however it was encoded (RFC 3986 §6.2.2.2, RFC 9112 §3.2.2).
 * A slash in a parameter stays encoded.
 */
function routedPath({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>;
  return url.replace(/:(\w+)/g, (_, name: string) => (values[name] ?? '').replaceAll('/', '%2F'));
}
