import type { IncomingMessage } from 'node:http';
import type { TroubleKind } from '@ssb/market';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clockSkew } from './kinds/clock-skew.js';
import { resetBeforeAnswer, resetInBody } from './kinds/connection-reset.js';
import { failing } from './kinds/failing.js';
import { latency } from './kinds/latency.js';
import { missingProperty, unknownProperty } from './kinds/properties.js';
import { rateLimit } from './kinds/rate-limit.js';
import type { Before, BodyOut, Hit } from './kinds/spoil.js';
import { truncatedJson } from './kinds/truncated-json.js';
import { wrongContentType } from './kinds/wrong-content-type.js';
import { routedPath } from './routed-path.js';
import { TcpConnections } from './tcp-connections.js';
import type { Switched, TroubleBoard } from './trouble-board.js';

export interface TroubleHooksOptions {
  readonly board: TroubleBoard;
  /** Whose request it is; undefined for somebody unknown. Asked only while a trouble is switched on. */
  readonly participantOf: (request: IncomingMessage) => string | undefined;
}

/** A body that JSON was made into; anything else (the invoice file) has no properties. */
const JSON_TYPES = /^(?:application\/json|text\/json|text\/plain)(?:;|$)/;

/**
 * Hangs the troubles onto the participants' port: before the service sees a request, and on a 200 body's way out. Every trouble that hits a
 * request is applied, in the order set, until one has answered. While none is switched on, a request costs two comparisons.
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
    const out = onTheWayOut(request, reply, payload);
    if (out !== undefined) done(null, out);
  });

  async function before(request: FastifyRequest, reply: FastifyReply): Promise<Before> {
    for (const hit of hitsOn(request, reply)) if ((await spoilBefore(hit)) === 'answered') return 'answered';
    return 'goes-on';
  }

  async function spoilBefore(hit: Hit<TroubleKind>): Promise<Before> {
    const { kind } = hit.one.trouble;
    switch (kind) {
      case 'latency':
        return latency(hit as Hit<typeof kind>, closing.signal);
      case 'rate-limit':
        return rateLimit(hit as Hit<typeof kind>, Date.now());
      case 'error':
        return failing(hit as Hit<typeof kind>);
      case 'connection-reset':
        return resetBeforeAnswer(hit as Hit<typeof kind>, connections);
      case 'clock-skew':
        return clockSkew(hit as Hit<typeof kind>, Date.now());
      case 'truncated-json':
      case 'wrong-content-type':
      case 'unknown-property':
      case 'missing-property':
        return 'goes-on';
      default:
        return kind satisfies never;
    }
  }

  /** The body to send; undefined when its sending was taken over. */
  function onTheWayOut(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: string | Uint8Array,
  ): string | Uint8Array | undefined {
    let body = payload;
    for (const hit of hitsOn(request, reply)) {
      const out = spoilBody(hit, body);
      if (out === 'sent') return undefined;
      if (out !== 'unchanged') body = out.body;
    }
    return body;
  }

  function spoilBody(hit: Hit<TroubleKind>, body: string | Uint8Array): BodyOut {
    const { kind } = hit.one.trouble;
    const ofJson = (spoil: (json: string) => BodyOut): BodyOut =>
      JSON_TYPES.test(String(hit.reply.getHeader('content-type'))) ? spoil(textOf(body)) : 'unchanged';
    switch (kind) {
      case 'connection-reset':
        return resetInBody(hit as Hit<typeof kind>, body, connections);
      case 'truncated-json':
        return ofJson((json) => truncatedJson(hit as Hit<typeof kind>, json));
      case 'wrong-content-type':
        return wrongContentType(hit as Hit<typeof kind>);
      case 'unknown-property':
        return ofJson((json) => unknownProperty(hit as Hit<typeof kind>, json));
      case 'missing-property':
        return ofJson((json) => missingProperty(hit as Hit<typeof kind>, json));
      case 'latency':
      case 'rate-limit':
      case 'error':
      case 'clock-skew':
        return 'unchanged';
      default:
        return kind satisfies never;
    }
  }

  function hitsOn(request: FastifyRequest, reply: FastifyReply): Hit<TroubleKind>[] {
    const participant = participantOf(request.raw);
    const path = routedPath(request);
    return board.hitting({ participant, path }).map((one) => hitOf(one, request, reply, participant));
  }

  function hitOf(
    one: Switched,
    request: FastifyRequest,
    reply: FastifyReply,
    participant: string | undefined,
  ): Hit<TroubleKind> {
    return {
      one,
      request,
      reply,
      participant,
      claim: () => board.claim(one),
    };
  }
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
