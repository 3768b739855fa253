import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { applyBeforeAnswer, type BeforeAnswer, type Hit } from './before-answer.js';
import { applyInBody } from './in-body.js';
import { TcpConnections } from './tcp-connections.js';
import type { TroubleBoard } from './trouble-board.js';

export interface TroubleHooksOptions {
  readonly board: TroubleBoard;
  /** Whose request it is; undefined for an unknown caller. Called only while a trouble is switched on. */
  readonly participantOf: (request: IncomingMessage) => string | undefined;
}

/**
 * Adds the troubles to the participants' port: before the service sees a request, and to a 200 body. Every trouble that hits a
 * request is applied, in the order set, until one has answered.
 */
export function hangOnto(server: FastifyInstance, { board, participantOf }: TroubleHooksOptions): void {
  const connections = new TcpConnections(server.server);
  const closing = new AbortController();
  server.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (board.isEmpty) return done();
    before(request, reply).then(
      (outcome) => (outcome === 'goes-on' ? done() : undefined),
      (error: unknown) => done(error as Error),
    );
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    if (board.isEmpty || reply.statusCode !== 200 || request.method === 'HEAD') return done(null, payload);
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return done(null, payload);
    let body: string | Uint8Array | undefined = payload;
    for (const hit of hitsOn(request, reply)) {
      body = applyInBody(hit, body, connections);
      if (body === undefined) return;
    }
    done(null, body);
  });

  async function before(request: FastifyRequest, reply: FastifyReply): Promise<BeforeAnswer> {
    for (const hit of hitsOn(request, reply))
      if ((await applyBeforeAnswer(hit, connections, closing.signal)) === 'answered') return 'answered';
    return 'goes-on';
  }

  function hitsOn(request: FastifyRequest, reply: FastifyReply): Hit[] {
    const participant = participantOf(request.raw);
    return board
      .hitting({ participant, path: routedPath(request) })
      .map((one) => ({ one, request, reply, participant, claim: () => board.claim(one) }));
  }
}

/**
 * The path of the operation that the request reaches, however it is encoded (RFC 3986 §6.2.2.2, RFC 9112 §3.2.2).
 * A slash in a parameter stays encoded. The path as sent at an unknown address.
 */
function routedPath({ is404, routeOptions, params, url }: FastifyRequest): string {
  const route = routeOptions.url;
  if (is404 || route === undefined) return url.split('?', 1)[0] ?? '';
  const values = params as Readonly<Record<string, string>>;
  return route.replace(/:(\w+)/g, (_, name: string) => (values[name] ?? '').replaceAll('/', '%2F'));
}
